--[[
Applies one call of one instance, and writes the state back (core/rules/applyOp.ts). The last part of the script.

KEYS[1]  the state of the account
ARGV[3]  how long the state is kept, in milliseconds
Uses: all of the other files

Output: JSON of BudgetReply (core/protocol.ts). Lua writes an empty list as {}
]]
local granted, refused, added = {}, nil, ''

local function noticeLoss()
  local elsewhere = op.epoch ~= '' and op.epoch ~= state.epoch
  local restored = op.epoch == state.epoch and op.seen > state.calls
  local lost = (elsewhere and state.cold) or restored or broken
  if restored then state.epoch = op.newEpoch end
  if elsewhere or restored or broken then state.cold = false end
  if lost then notices[#notices + 1] = { type = 'budget.state-lost' } end
  local quarantineMs = rules.windowMs + rules.graceMs
  local apart = op.after == 'silence' and op.silentMs >= quarantineMs
  local stepped = op.after == 'clock-step' and now - state.steppedAt >= 4000
  if stepped then state.steppedAt = now end
  if lost or apart or stepped or op.after == 'own-share' then
    state.frozenUntil = math.max(state.frozenUntil, now + quarantineMs)
  end
  state.calls = state.calls + 1
end

local function expire()
  state.slots = keep(state.slots, function(slot) return slot.freeAt > now end)
  state.waiters = keep(state.waiters, function(waiter) return waiter['until'] > now end)
  for instance, dueAt in pairs(state.dueAt) do
    if dueAt + 60000 < now then state.dueAt[instance] = nil end
  end
end

local function act()
  if op.type == 'ask' then
    local held, index = find(state.slots, op.id)
    if held and held.doneAt < 0 and now < state.frozenUntil then
      table.remove(state.slots, index)
      held = nil
    end
    if held and held.doneAt < 0 then
      held.grantedAt = now
      held.freeAt = now + rules.timeoutMs + rules.windowMs
      granted[1] = op.id
    elseif not held and not find(state.waiters, op.id) then
      state.waiters[#state.waiters + 1] = {
        id = op.id, instance = op.instance, user = op.user, cost = op.cost, background = op.background,
        ['until'] = now + math.min(op.withinMs, LONGEST_WAIT_MS),
      }
      enqueue(op.user)
      added = op.id
    end
  elseif op.type == 'leave' then
    state.waiters = keep(state.waiters, function(waiter) return waiter.id ~= op.id end)
    state.slots = keep(state.slots, function(slot) return slot.id ~= op.id or slot.doneAt >= 0 end)
  elseif op.type == 'release' then
    local held, index = find(state.slots, op.id)
    if held and held.doneAt < 0 then
      if op.outcome == 'unsent' then
        table.remove(state.slots, index)
      else
        held.doneAt = now
        held.freeAt = now + rules.windowMs + rules.marginMs
        if op.outcome == 'aborted' then held.freeAt = held.freeAt + rules.graceMs end
      end
    end
  elseif op.type == 'limited' then
    countLimited()
  elseif op.type == 'bye' then
    state.waiters = keep(state.waiters, function(waiter) return waiter.instance ~= op.instance end)
    state.dueAt[op.instance] = nil
  end
end

local function grantHeads(queue)
  if op.after == 'silence' then return end
  while true do
    local head = queue[1]
    if not head or head.instance ~= op.instance then return end
    if openAt(queue, #queue == 1 and head.id == added) > now then return end
    countGrant(head, queue)
    table.remove(queue, 1)
    state.waiters = keep(state.waiters, function(waiter) return waiter.id ~= head.id end)
    state.slots[#state.slots + 1] = {
      id = head.id, user = head.user, grantedAt = now, doneAt = -1,
      freeAt = now + rules.timeoutMs + rules.windowMs,
    }
    granted[#granted + 1] = head.id
  end
end

local function admit(queue, waitMsAt)
  local _, place = find(queue, added)
  if not place then return end
  local waitMs = waitMsAt(place - 1)
  local own = keep(queue, function(waiter) return waiter.user == op.user end)
  local reason
  if #own > rules.maxWaitingPerUser then
    reason = 'user-queue-full'
  elseif #queue > rules.maxWaiting and place == #queue then
    reason = 'queue-full'
  elseif waitMs > op.withinMs then
    reason = 'too-late'
  end
  local leaving
  if reason then
    refused = { reason = reason, retryAfterMs = waitMs }
    leaving = place
  elseif #queue > rules.maxWaiting then
    leaving = #queue
  end
  if not leaving then return end
  local leaver = table.remove(queue, leaving)
  state.waiters = keep(state.waiters, function(waiter) return waiter ~= leaver end)
end

local function replyOf(queue, opensAt, waitMsAt)
  local waiting = {}
  local ahead
  for position, waiter in ipairs(queue) do
    if waiter.instance == op.instance then
      ahead = ahead or position - 1
      waiting[#waiting + 1] = { waiter.id, waitMsAt(position - 1) }
    end
  end
  local nextMs = rules.heartbeatMs
  if ahead then
    local turnAt = opensAt + math.floor((ahead * rules.windowMs) / rules.limit)
    nextMs = math.min(math.max(1, math.ceil(turnAt - now)), rules.pollMs)
  end
  if op.type ~= 'bye' then state.dueAt[op.instance] = now + nextMs end

  local frees = {}
  for index, slot in ipairs(state.slots) do frees[index] = slot.freeAt - now end
  table.sort(frees)
  local instances = 0
  for _ in pairs(state.dueAt) do instances = instances + 1 end
  return {
    at = now, epoch = state.epoch, calls = state.calls, granted = granted, waiting = waiting, refused = refused, nextMs = nextMs,
    openMs = math.ceil(opensAt - now), limit = currentLimit(), frees = frees, waitingTotal = #queue,
    frozenMs = math.max(0, math.ceil(state.frozenUntil - now)), strict = state.strict,
    foreignUse = state.foreignUse, instances = instances, notices = notices,
  }
end

steadyTimes()
noticeLoss()
expire()
state.strict = state.strict or rules.strict
recover()
state.dueAt[op.instance] = now
act()
-- Sorted once a call: a grant takes the head from it, a refusal one place.
local queue = fairOrder()
grantHeads(queue)
local opensAt, waitMsAt = createForecast(queue)
admit(queue, waitMsAt)
forgetUsers()
local reply = replyOf(queue, opensAt, waitMsAt)
redis.call('SET', KEYS[1], cjson.encode(state), 'PX', ARGV[3])
return cjson.encode(reply)
