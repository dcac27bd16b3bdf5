-- Take a lock. Reply: its fence, a number that only grows; 0 when another holds it.
-- KEYS 1 lock  2 fence    ARGV 1 token of this holder  2 ms
local held = redis.call('GET', KEYS[1])
if held then
  local token, fence = string.match(held, '^(%S+) (%d+)$')
  if token ~= ARGV[1] then return 0 end
  return tonumber(fence)  -- an earlier try of this very call took it
end
local fence = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. string.format('%.0f', fence), 'PX', ARGV[2])
return fence
