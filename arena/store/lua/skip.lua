-- Give an open battle back without a vote; counted. Reply: skipped, repeat, none, other, voted, expired, capped.
-- KEYS 1 battle  2 open battle of the visitor  3 counts  4 visitor  5.. caps
-- ARGV 1 visitor  2 now (ms)  3 seconds to remember the visitor  4.. pairs of (limit, seconds), one for each cap
local f = redis.call('HMGET', KEYS[1], 'v', 'x', 'o', 's')
if not f[1] then return {'none'} end
if f[1] ~= ARGV[1] then return {'other'} end
if f[3] then return {'voted'} end
if f[4] then return {'repeat'} end
if tonumber(ARGV[2]) >= tonumber(f[2]) then return {'expired'} end
for i = 5, #KEYS do
  local limit, used = tonumber(ARGV[4 + 2 * (i - 5)]), tonumber(redis.call('GET', KEYS[i]) or '0')
  if used >= limit then return {'capped', i - 5, redis.call('PTTL', KEYS[i])} end
end
redis.call('HSET', KEYS[1], 's', ARGV[2])
redis.call('DEL', KEYS[2])
redis.call('HINCRBY', KEYS[3], 'skips', 1)
redis.call('HINCRBY', KEYS[4], 'skips', 1)
redis.call('HSET', KEYS[4], 'last', ARGV[2])
redis.call('EXPIRE', KEYS[4], ARGV[3])
for i = 5, #KEYS do
  redis.call('INCR', KEYS[i])
  redis.call('EXPIRE', KEYS[i], ARGV[5 + 2 * (i - 5)], 'NX')
end
return {'skipped'}
