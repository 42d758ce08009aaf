--[[
Moves all times back if the clock has stepped back since the last call, and cuts each to the largest value that it can have
(core/rules/steadyTimes.ts).

Uses: rules, state, notices, now, fewestSlots
Output: steadyTimes() changes the state and adds to the notices; LONGEST_WAIT_MS
]]
local LONGEST_WAIT_MS = 3600000

local previousAt

local function steadyTimes()
  previousAt = math.min(state.lastAt, now)
  local byMs = math.max(0, state.lastAt - now)
  state.lastAt = now
  if byMs >= 500 then notices[#notices + 1] = { type = 'budget.clock-stepped', byMs = -byMs } end
  local function steady(at, longestMs)
    at = at - byMs
    if at > now + longestMs then return now + longestMs end
    return at
  end

  local longestHeldMs = rules.timeoutMs + rules.windowMs + rules.marginMs + rules.graceMs
  for _, slot in ipairs(state.slots) do
    slot.grantedAt = steady(slot.grantedAt, 0)
    if slot.doneAt >= 0 then slot.doneAt = math.max(0, steady(slot.doneAt, 0)) end
    slot.freeAt = steady(slot.freeAt, longestHeldMs)
  end
  for _, list in ipairs({ state.waiters, state.shared }) do
    for _, waiter in ipairs(list) do waiter['until'] = steady(waiter['until'], LONGEST_WAIT_MS) end
  end
  local longestDueMs = math.max(rules.heartbeatMs, rules.pollMs)
  for instance, dueAt in pairs(state.dueAt) do state.dueAt[instance] = steady(dueAt, longestDueMs) end
  local longestFreezeMs = math.max(60000, rules.windowMs + rules.graceMs)
  state.frozenUntil = steady(state.frozenUntil, longestFreezeMs)
  for instance, untilAt in pairs(state.apart) do
    state.apart[instance] = steady(untilAt, rules.windowMs + rules.graceMs)
  end
  state.loweredAt = steady(state.loweredAt, 0)
  state.steppedAt = steady(state.steppedAt, 0)
  if state.limitedAt >= 0 then state.limitedAt = math.max(0, steady(state.limitedAt, 0)) end
  state.lowered = math.max(0, math.min(state.lowered, rules.limit - fewestSlots()))
end
