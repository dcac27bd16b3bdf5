-- Open a battle for a visitor, unless one is open already. Reply: {id of the open battle, 1 if it is the new one}.
-- A visitor who is being forgotten gets none: {'', 0}.
-- KEYS 1 battle  2 open battle of the visitor  3 terms  4 codes  5 counts  6 visitor  7 forgotten  8.. texts
-- ARGV 1 battle id  2 visitor  3 now (ms)  4 expires (ms)  5 seconds until it expires  6 seconds to keep it
--      7 answer a (term)  8 answer b (term)  9 p of the draw  10 rule  11 reason ("" counts)  12 pair
--      13 seconds to remember the visitor  14 marks of the prompts he met  15.. contents of the texts
local function code(term)
  local known = redis.call('HGET', KEYS[4], term)
  if known then return known end
  local size = redis.call('RPUSH', KEYS[3], term)
  redis.call('HSET', KEYS[4], term, size - 1)
  return size - 1
end

if redis.call('HEXISTS', KEYS[7], ARGV[2]) == 1 then return {'', 0} end
local open = redis.call('GET', KEYS[2])
if open then
  local id, expires = string.match(open, '^(%S+) (%d+)$')
  if id and tonumber(expires) > tonumber(ARGV[3]) then return {id, id == ARGV[1] and 1 or 0} end
end
code('')
redis.call('HSET', KEYS[1], 'v', ARGV[2], 'c', ARGV[3], 'x', ARGV[4], 'a', code(ARGV[7]), 'b', code(ARGV[8]),
  'p', ARGV[9], 'r', code(ARGV[10]), 'w', ARGV[11], 'k', ARGV[12])
redis.call('EXPIRE', KEYS[1], ARGV[6])
redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. ARGV[4], 'EX', ARGV[5])
for i = 8, #KEYS do redis.call('SET', KEYS[i], ARGV[i + 7], 'EX', ARGV[6]) end
redis.call('HINCRBY', KEYS[5], 'battles', 1)
redis.call('HINCRBY', KEYS[6], 'battles', 1)
redis.call('HSETNX', KEYS[6], 'first', ARGV[3])
redis.call('HSET', KEYS[6], 'last', ARGV[3], 'seen', ARGV[14])
redis.call('EXPIRE', KEYS[6], ARGV[13])
return {ARGV[1], 1}
