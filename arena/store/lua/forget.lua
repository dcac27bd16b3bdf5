-- Begin to forget a voter: his name becomes a pseudonym that nothing leads to, and nothing of his is served or taken any more.
-- What else names him is erased after it; until all of that is done, `forgotten` says so. Reply: 1 if known, else 0.
-- KEYS 1 terms  2 codes  3 quarantined  4 forgotten  5 visitor  6 votes of the visitor  7 open battle  8 forgettings
-- ARGV 1 voter  2 pseudonym
local known = redis.call('DEL', KEYS[5], KEYS[6], KEYS[7])
local pseudonym = redis.call('HGET', KEYS[4], ARGV[1])
local code = redis.call('HGET', KEYS[2], ARGV[1])
if pseudonym then known = 1 else pseudonym = ARGV[2] end
if code then
  redis.call('LSET', KEYS[1], code, pseudonym)
  redis.call('HDEL', KEYS[2], ARGV[1])
  redis.call('HSET', KEYS[2], pseudonym, code)
end
if code or known > 0 then
  redis.call('HSET', KEYS[4], ARGV[1], pseudonym)
  redis.call('INCR', KEYS[8])
end
if redis.call('SREM', KEYS[3], ARGV[1]) == 1 then redis.call('SADD', KEYS[3], pseudonym) end
return (code or known > 0) and 1 or 0
