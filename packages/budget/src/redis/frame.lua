--[[
One call of one instance, as one step in Redis.

KEYS[1]  the state of the account: a JSON text
ARGV[1]  the rules: JSON of BudgetRules (core/protocol.ts)
ARGV[2]  the call: JSON of BudgetOp (core/protocol.ts)
ARGV[3]  how long the state is kept, in milliseconds

Output: JSON of BudgetReply (core/protocol.ts). Lua writes an empty list as {}
]]
-- The store's own clock judges every instance. Redis 7 stops it while a script runs.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- RULES

local kind = redis.call('TYPE', KEYS[1]).ok
local previous
if kind == 'string' then
  local isJson, found = pcall(cjson.decode, redis.call('GET', KEYS[1]))
  previous = isJson and readState(found) or 'broken'
elseif kind ~= 'none' then
  redis.call('DEL', KEYS[1])
  previous = 'broken'
end
local applied = applyOp(previous, cjson.decode(ARGV[1]), cjson.decode(ARGV[2]), now)
redis.call('SET', KEYS[1], cjson.encode(applied.state), 'PX', ARGV[3])
return cjson.encode(applied.reply)
