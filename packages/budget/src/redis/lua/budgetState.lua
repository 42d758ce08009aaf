--[[
What a call works on: the rules and the call, and what a new state is (core/BudgetState.ts).

ARGV[1]  the rules: JSON of BudgetRules (core/protocol.ts)
ARGV[2]  the call: JSON of BudgetOp (core/protocol.ts)

Output: rules, op, notices, granted, covered, refused, keep, find, createBudgetState()
]]
local rules = cjson.decode(ARGV[1])
local op = cjson.decode(ARGV[2])
local notices, granted, covered, refused = {}, {}, {}, {}
local SECOND_MS = 1000
local STATE_VERSION = 1

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
    version = STATE_VERSION, epoch = op.newEpoch, cold = true, calls = 0, lastAt = 0, steppedAt = 0,
    slots = {}, waiters = {}, shared = {}, virtual = 0, tags = {}, dueAt = {},
    apart = {},
    lowered = 0, loweredAt = 0, frozenUntil = 0, limitedAt = -1, limitedInRow = 0, secondsSuspected = 0,
    strict = rules.strict, foreignUse = 0,
  }
end
