--[[
Keeps the slots of instances that may be using them without the state, until they report (core/rules/noticeApart.ts).

Uses: rules, op, state, now, keep
Output: noticeApart() changes the state
]]
local function isOf(id, instance)
  return string.sub(id, 1, #instance + 1) == instance .. ':'
end

local function expectReport(instance, untilAt)
  state.apart[instance] = math.max(state.apart[instance] or 0, untilAt)
end

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
  local cut = op.after ~= 'answer' and op.silentMs >= 750
  local awaited = false
  for instance, dueAt in pairs(state.dueAt) do
    local withCaller = cut and dueAt + 500 >= now - op.silentMs
    local untilAt = (withCaller and now or dueAt) + keptMs
    if now > dueAt + 500 and untilAt > now then
      expectReport(instance, untilAt)
      awaited = awaited or (withCaller and instance ~= op.instance)
    end
  end
  if cut then expectReport(op.instance, now + keptMs) end
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
  if awaited and state.awaitedUntil <= 0 then
    state.frozenBefore = state.frozenUntil
    state.awaitedUntil = now + keptMs
    state.frozenUntil = math.max(state.frozenUntil, state.awaitedUntil)
  end
  if state.awaitedUntil > 0 and (now >= state.awaitedUntil or next(state.apart) == nil) then
    if state.frozenUntil == state.awaitedUntil then state.frozenUntil = state.frozenBefore end
    state.awaitedUntil = 0
  end
end
