-- Read one battle. Reply: {visitor, expires (ms), term a, term b, outcome, reason, at (ms), stream id, skipped}; {} none.
-- KEYS 1 battle  2 terms
local f = redis.call('HMGET', KEYS[1], 'v', 'x', 'a', 'b', 'o', 'why', 'at', 'id', 's')
if not f[1] then return {} end
for i = 5, 9 do f[i] = f[i] or '' end
f[3], f[4] = redis.call('LINDEX', KEYS[2], f[3]), redis.call('LINDEX', KEYS[2], f[4])
return f
