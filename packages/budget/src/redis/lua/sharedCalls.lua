--[[
Requests with the same call need one slot: who makes the call, and who is told that another does (core/rules/sharedCalls.ts).

Uses: rules, op, state, now, enqueue
Output: isBeingMade(call, coveredAt) and isSameCall(one, other); shareCall(call), unshareCall(held) and tellShared() change the state; shared
]]
local shared = {}

local function isBeingMade(call, coveredAt)
  if not call then return false end
  for _, slot in ipairs(state.slots) do
    if slot.call == call then
      if slot.doneAt >= 0 then
        if coveredAt and slot.grantedAt >= coveredAt then return true end
      elseif now <= slot.freeAt - rules.windowMs and now <= (state.dueAt[slot.instance or ''] or 0) + rules.lateMs then
        return true
      end
    end
  end
  return false
end

local function shareCall(call)
  if not call then return false end
  local others = keep(state.waiters, function(waiter) return waiter.call == call end)
  if #others == 0 then return false end
  state.waiters = keep(state.waiters, function(waiter) return waiter.call ~= call end)
  for _, waiter in ipairs(others) do state.shared[#state.shared + 1] = waiter end
  return true
end

local function unshareCall(held)
  local call = held.call
  if not call then return end
  held.call = nil
  local others = keep(state.shared, function(waiter) return waiter.call == call end)
  state.shared = keep(state.shared, function(waiter) return waiter.call ~= call end)
  for _, waiter in ipairs(others) do
    enqueue(waiter.user)
    state.waiters[#state.waiters + 1] = waiter
  end
end

local function tellShared()
  for _, waiter in ipairs(state.shared) do
    if waiter.instance == op.instance then shared[#shared + 1] = waiter.id end
  end
  state.shared = keep(state.shared, function(waiter) return waiter.instance ~= op.instance end)
end

local function isSameCall(one, other)
  return one.id == other.id or (one.call ~= nil and one.call == other.call)
end
