--[[
What follows from a 429 of the upstream: a pause, fewer slots for a while, perhaps strict mode (core/rules/countLimited.ts).

Uses: rules, state, notices, now, find, keep
Output: countLimited(action) and recover() change the state and add to the notices; fewestSlots() are always in use
]]
local function fewestSlots()
  return math.max(1, math.floor(rules.limit / 5))
end

local function givenUp()
  return math.ceil(rules.limit / 12.5)
end

local function countLimited(action)
  local retryAfterMs = math.min(action.retryAfterMs or -1, 60000)
  local slot = find(state.slots, action.id)
  if now < state.frozenUntil or (slot and slot.grantedAt <= state.limitedAt) then
    state.frozenUntil = math.max(state.frozenUntil, now + retryAfterMs)
    return
  end

  local inRow = state.limitedAt >= 0 and now - state.limitedAt < 30000
  state.limitedInRow = inRow and state.limitedInRow + 1 or 1
  state.limitedAt = now
  local backoffMs = math.min(1000 * 2 ^ (state.limitedInRow - 1), 5000)
  local frozenMs = retryAfterMs >= 0 and retryAfterMs or math.floor(backoffMs * (1 + 0.25 * action.jitter))
  state.frozenUntil = now + frozenMs

  local used = #state.slots
  local lately = keep(state.slots, function(held) return held.doneAt < 0 or held.doneAt > now - SECOND_MS end)
  local suspected = not state.strict and #lately > rules.perSecond
  if suspected then state.secondsSuspected = state.secondsSuspected + 1 end
  if suspected and state.secondsSuspected >= 2 then
    state.strict = true
    state.lowered = 0
    notices[#notices + 1] = { type = 'budget.strict' }
  else
    state.lowered = math.max(state.lowered, math.min(state.lowered + givenUp(), rules.limit - fewestSlots()))
    state.loweredAt = now
    if not suspected then
      state.foreignUse = state.foreignUse + 1
      notices[#notices + 1] = { type = 'budget.foreign-use', used = used }
    end
  end
  notices[#notices + 1] = { type = 'budget.frozen', frozenMs = frozenMs, limit = rules.limit - state.lowered, used = used }
end

local function recover()
  if state.lowered == 0 then return end
  while state.lowered > 0 and now - state.loweredAt >= 30000 do
    state.lowered = state.lowered - math.min(state.lowered, math.ceil(givenUp() / 2))
    state.loweredAt = state.loweredAt + 30000
  end
  if state.lowered == 0 then notices[#notices + 1] = { type = 'budget.recovered', limit = rules.limit } end
end
