-- One try of the owner's token, counted before anybody learns whether it was right. Tries at once cannot slip past.
-- KEYS 1 tries of the caller  2 tries of all  3 caller had the right token before
-- ARGV 1 right (1 or 0)  2 most of a caller  3 most of all  4 seconds that a count lasts  5 seconds of memory
-- Reply: {verdict (right, wrong, caller, all), how many tries count against it, seconds until it ends}
local function count(key)
  local tries = redis.call('INCR', key)
  if tries == 1 then redis.call('EXPIRE', key, ARGV[4]) end
  return tries
end
local function full(key, most)
  return tonumber(redis.call('GET', key) or '0') >= tonumber(most)
end
if full(KEYS[1], ARGV[2]) then return {'caller', count(KEYS[1]), redis.call('TTL', KEYS[1])} end
if full(KEYS[2], ARGV[3]) and redis.call('EXISTS', KEYS[3]) == 0 then
  return {'all', count(KEYS[2]), redis.call('TTL', KEYS[2])}
end
if ARGV[1] == '1' then
  redis.call('SET', KEYS[3], '1', 'EX', ARGV[5])
  return {'right', 0, 0}
end
count(KEYS[2])
return {'wrong', count(KEYS[1]), 0}
