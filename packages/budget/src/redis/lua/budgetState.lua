--[[
What a call works on: the rules, the call, and the state as the last call left it (core/BudgetState.ts).

KEYS[1]  the state of the account: a JSON text
ARGV[1]  the rules: JSON of BudgetRules (core/protocol.ts)
ARGV[2]  the call: JSON of BudgetOp (core/protocol.ts)

Output: rules, op, state, notices
]]
local rules = cjson.decode(ARGV[1])
local op = cjson.decode(ARGV[2])
local SECOND_MS = 1000

local function keep(list, wanted)
  local kept = {}
  for _, item in ipairs(list) do
    if wanted(item) then kept[#kept + 1] = item end
  end
  return kept
end

local function find(list, id)
  for index, item in ipairs(list) do
    if item.id == id then return item, index end
  end
end

local function createBudgetState()
  return {
    epoch = op.newEpoch, cold = true, calls = 0, slots = {}, waiters = {}, virtual = 0, tags = {}, dueAt = {},
    lowered = 0, loweredAt = 0, frozenUntil = 0, limitedAt = -1, limitedInRow = 0, secondsSuspected = 0,
    strict = rules.strict, foreignUse = 0,
  }
end

local saved = redis.call('GET', KEYS[1])
local state = saved and cjson.decode(saved) or createBudgetState()
local notices = {}
