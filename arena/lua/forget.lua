-- Cut the tie between a voter and his votes: his name becomes a pseudonym that nothing leads to. Reply: 1 if known, else 0.
-- KEYS 1 terms  2 codes  3 quarantined  4 forgotten  5 visitor  6 votes of the visitor  7 open battle
-- ARGV 1 voter  2 pseudonym
local known = redis.call('DEL', KEYS[5], KEYS[6], KEYS[7])
local code = redis.call('HGET', KEYS[2], ARGV[1])
if code then
  redis.call('LSET', KEYS[1], code, ARGV[2])
  redis.call('HDEL', KEYS[2], ARGV[1])
  redis.call('HSET', KEYS[2], ARGV[2], code)
  -- Until the archive is rewritten (its next run) this one entry still ties the two.
  redis.call('HSET', KEYS[4], ARGV[1], ARGV[2])
end
if redis.call('SREM', KEYS[3], ARGV[1]) == 1 then redis.call('SADD', KEYS[3], ARGV[2]) end
return (code or known > 0) and 1 or 0
