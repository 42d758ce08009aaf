--[[
The reply to the calling instance (core/rules/replyOf.ts).

Uses: rules, op, state, notices, shared, granted, covered, refused, now, currentLimit, tellShared
Output: replyOf(queue, opensAt, waitMsAt) gives the reply; it notes when the instance is expected to call again
]]
local function replyOf(queue, opensAt, waitMsAt)
  tellShared()
  local places = {}
  for index, waiter in ipairs(queue) do places[waiter.call or waiter.id] = index end
  local waiting = {}
  local ahead = math.huge
  for _, waiter in ipairs(state.waiters) do
    local index = places[waiter.call or waiter.id]
    if index and waiter.instance == op.instance then
      waiting[#waiting + 1] = { waiter.id, waitMsAt(index - 1) }
      ahead = math.min(ahead, queue[index].instance == op.instance and index - 1 or index)
    end
  end
  local nextMs = rules.heartbeatMs
  if ahead < math.huge then
    local turnAt = opensAt + math.floor((ahead * rules.windowMs) / rules.limit)
    nextMs = math.min(math.max(1, math.ceil(turnAt - now)), rules.pollMs)
  end
  local leaves = false
  for _, action in ipairs(op.actions) do leaves = leaves or action.type == 'bye' end
  if not leaves then state.dueAt[op.instance] = now + nextMs end

  local frees = {}
  for index, slot in ipairs(state.slots) do frees[index] = slot.freeAt - now end
  table.sort(frees)
  local instances = 0
  for _ in pairs(state.dueAt) do instances = instances + 1 end
  return {
    at = now, epoch = state.epoch, calls = state.calls, granted = granted, shared = shared, waiting = waiting,
    covered = covered, refused = refused, nextMs = nextMs,
    openMs = math.ceil(opensAt - now), limit = currentLimit(), frees = frees, waitingTotal = #queue,
    frozenMs = math.max(0, math.ceil(state.frozenUntil - now)), strict = state.strict,
    foreignUse = state.foreignUse, instances = instances,
    apart = state.apart[op.instance] ~= nil, notices = notices,
  }
end

