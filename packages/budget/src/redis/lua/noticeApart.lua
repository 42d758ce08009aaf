--[[
Keeps the slots of instances that may be using them without the state, until they report (core/rules/noticeApart.ts).

Uses: rules, op, state, now, keep
Output: noticeApart() changes the state
]]
local function takeOver()
  state.apart[op.instance] = nil
  local ids = {}
  for _, slot in ipairs(op.own) do ids[slot.id] = true end
  state.waiters = keep(state.waiters, function(waiter) return not ids[waiter.id] end)
  state.slots = keep(state.slots, function(slot) return not isOf(slot.id, op.instance) end)
  for _, slot in ipairs(op.own) do
    state.slots[#state.slots + 1] = {
      id = slot.id, user = slot.user, call = slot.call, instance = slot.call and op.instance,
      grantedAt = now - slot.grantedMsAgo,
      doneAt = slot.doneMsAgo < 0 and -1 or now - slot.doneMsAgo, freeAt = now + slot.freeMs,
    }
  end
end

local function noticeApart()
  local keptMs = rules.windowMs + rules.graceMs
  local callerIsLate = now > (state.dueAt[op.instance] or 0) + 500
  for instance, dueAt in pairs(state.dueAt) do
    local keptUntil = math.max(dueAt + keptMs, state.apart[instance] or 0)
    local sharedAt = callerIsLate and previousAt or now
    if now > dueAt + 500 and keptUntil > sharedAt and dueAt + 60000 > sharedAt then
      state.apart[instance] = callerIsLate and now + keptMs or keptUntil
    end
  end
  if op.after ~= 'answer' and op.silentMs >= 750 then state.apart[op.instance] = now + keptMs end
  if op.own then takeOver() end

  for instance, untilAt in pairs(state.apart) do
    if untilAt <= now then
      state.apart[instance] = nil
    else
      for _, slot in ipairs(state.slots) do
        if slot.doneAt >= 0 and isOf(slot.id, instance) then slot.freeAt = math.max(slot.freeAt, untilAt) end
      end
    end
  end
end
