-- Note a fact about a voter beside his votes. Reply: its id.
-- KEYS 1 facts  2 quarantined  3 terms  4 codes
-- ARGV 1 kind (quarantine, lift)  2 voter  3 why  4 at (ms)  5 by
local function code(term)
  local known = redis.call('HGET', KEYS[4], term)
  if known then return known end
  local size = redis.call('RPUSH', KEYS[3], term)
  redis.call('HSET', KEYS[4], term, size - 1)
  return size - 1
end

code('')
-- The voter by code, so that forgetting him reaches this entry too.
local id = redis.call('XADD', KEYS[1], '*', 'k', ARGV[1], 'v', code(ARGV[2]), 'y', ARGV[3], 't', ARGV[4], 'by', ARGV[5])
redis.call(ARGV[1] == 'lift' and 'SREM' or 'SADD', KEYS[2], ARGV[2])
return id
