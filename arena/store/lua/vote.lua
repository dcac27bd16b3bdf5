-- Cast a vote: all or nothing, once. Reply: {status, outcome, reason, at (ms), stream id, term a, term b}.
-- status: voted (now, or by an earlier try of this very call), repeat, none, other, skipped, expired;
--         capped with {number of the cap from 0, ms until it opens}.
-- KEYS 1 battle  2 votes  3 terms  4 codes  5 pairs  6 counts  7 quarantined  8 open battle of the visitor
--      9 visitor  10 votes of the visitor  11 challenges of these minutes  12 forgotten  13.. caps
-- ARGV 1 visitor  2 outcome  3 now (ms)  4 battle id (16 bytes)  5 token of this call  6 reason from the request
--      7 state of the challenge ("" none)  8 seconds to remember the visitor  9 seconds to keep them
--      10.. pairs of (limit, seconds), one for each cap
local function code(term)
  local known = redis.call('HGET', KEYS[4], term)
  if known then return known end
  local size = redis.call('RPUSH', KEYS[3], term)
  redis.call('HSET', KEYS[4], term, size - 1)
  return size - 1
end

local f = redis.call('HMGET', KEYS[1], 'v', 'x', 'o', 's', 'c', 'a', 'b', 'p', 'r', 'w', 'k', 'why', 'at', 'id', 'token')
if not f[1] or redis.call('HEXISTS', KEYS[12], ARGV[1]) == 1 then return {'none'} end
if f[1] ~= ARGV[1] then return {'other'} end
local a, b = redis.call('LINDEX', KEYS[3], f[6]), redis.call('LINDEX', KEYS[3], f[7])
if f[3] then return {f[15] == ARGV[5] and 'voted' or 'repeat', f[3], f[12], f[13], f[14], a, b} end
if f[4] then return {'skipped'} end
if tonumber(ARGV[3]) >= tonumber(f[2]) then return {'expired'} end
for i = 13, #KEYS do
  local limit, used = tonumber(ARGV[10 + 2 * (i - 13)]), tonumber(redis.call('GET', KEYS[i]) or '0')
  if used >= limit then return {'capped', i - 13, redis.call('PTTL', KEYS[i])} end
end

local reason = f[10]
if reason == '' then reason = ARGV[6] end
if reason == '' and redis.call('SISMEMBER', KEYS[7], ARGV[1]) == 1 then reason = 'quarantined_session' end
local why = code(reason)
local dwell = string.format('%.0f', math.max(0, tonumber(ARGV[3]) - tonumber(f[5])))
local id = redis.call('XADD', KEYS[2], '*', 'i', ARGV[4], 'v', code(ARGV[1]), 'a', f[6], 'b', f[7], 'o', ARGV[2],
  'p', f[8], 'r', f[9], 'w', why, 't', ARGV[3], 'd', dwell)
redis.call('HSET', KEYS[1], 'o', ARGV[2], 'why', reason, 'at', ARGV[3], 'id', id, 'token', ARGV[5])
redis.call('DEL', KEYS[8])
redis.call('HINCRBY', KEYS[6], 'votes', 1)
if reason == '' then
  redis.call('HINCRBY', KEYS[5], f[11], 1)
else
  redis.call('HINCRBY', KEYS[6], 'reason:' .. reason, 1)
end
redis.call('HINCRBY', KEYS[9], 'votes', 1)
redis.call('HSET', KEYS[9], 'last', ARGV[3])
redis.call('EXPIRE', KEYS[9], ARGV[8])
redis.call('RPUSH', KEYS[10], table.concat({ARGV[3], f[6], f[7], ARGV[2], why}, ' '))
redis.call('EXPIRE', KEYS[10], ARGV[8])
if ARGV[7] ~= '' then
  redis.call('HINCRBY', KEYS[11], ARGV[7], 1)
  redis.call('EXPIRE', KEYS[11], ARGV[9])
end
for i = 13, #KEYS do
  redis.call('INCR', KEYS[i])
  redis.call('EXPIRE', KEYS[i], ARGV[11 + 2 * (i - 13)], 'NX')
end
return {'voted', ARGV[2], reason, ARGV[3], id, a, b}
