-- Keep (ms > 0) or give back (ms = 0) a lock that is held under this fence. Reply: 1, or 0 when it is not.
-- KEYS 1 lock    ARGV 1 fence  2 ms
local held = redis.call('GET', KEYS[1])
if not held or string.match(held, ' (%d+)$') ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then redis.call('DEL', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
