-- Let ids of the votes stream go on after an id that the archive holds, also where the stream or its clock begins anew.
-- Reply: 1, or 0 when they do already.
-- KEYS 1 votes    ARGV 1 id
local added = redis.pcall('XADD', KEYS[1], ARGV[1], 'x', '')
if type(added) == 'table' and added.err then return 0 end
redis.call('XDEL', KEYS[1], ARGV[1])
return 1
