-- Append to the hash chain if its newest entry is the one that the writer saw. Reply: 1, or 0 (read again and retry).
-- KEYS 1 ledger  2 head    ARGV 1 hash of the entry before  2 hash of this entry  3 entry (JSON)
local head = redis.call('GET', KEYS[2]) or ''
if head == ARGV[2] then return 1 end  -- an earlier try of this very call wrote it
if head ~= ARGV[1] then return 0 end
redis.call('XADD', KEYS[1], '*', 'e', ARGV[3], 'h', ARGV[2])
redis.call('SET', KEYS[2], ARGV[2])
return 1
