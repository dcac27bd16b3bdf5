-- Show readers another release. Reply: 1; 0 when a newer holder has switched already or the release is not whole.
-- KEYS 1 current  2 fence  3 releases    ARGV 1 release  2 fence
if tonumber(ARGV[2]) < tonumber(redis.call('GET', KEYS[2]) or '0') then return 0 end
if not redis.call('ZSCORE', KEYS[3], ARGV[1]) then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
redis.call('SET', KEYS[1], ARGV[1])
return 1
