--[[
Applies one call of one instance, and writes the state back (core/rules/applyOp.ts). The last part of the script.

KEYS[1]  the state of the account
ARGV[3]  how long the state is kept, in milliseconds
Uses: all of the other files

Output: JSON of BudgetReply (core/protocol.ts). Lua writes an empty list as {}
]]
local added = ''

local function noticeLoss()
  local elsewhere = op.epoch ~= '' and op.epoch ~= state.epoch
  local restored = op.epoch == state.epoch and op.seen > state.calls
  local lost = (elsewhere and state.cold) or restored or broken
  if restored then state.epoch = op.newEpoch end
  if elsewhere or restored or broken then state.cold = false end
  if lost then notices[#notices + 1] = { type = 'budget.state-lost' } end
  local stepped = op.after == 'clock-step' and now - state.steppedAt >= 4000
  if stepped then state.steppedAt = now end
  if lost or stepped then state.frozenUntil = math.max(state.frozenUntil, now + rules.windowMs + rules.graceMs) end
  state.calls = state.calls + 1
end

local function expire()
  state.slots = keep(state.slots, function(slot) return slot.freeAt > now end)
  state.waiters = keep(state.waiters, function(waiter) return waiter['until'] > now end)
  state.shared = keep(state.shared, function(waiter) return waiter['until'] > now end)
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
    elseif held or find(state.waiters, op.id) or find(state.shared, op.id) then
      return
    elseif isBeingMade(op.call) then
      shared[1] = op.id
    else
      state.waiters[#state.waiters + 1] = {
        id = op.id, instance = op.instance, user = op.user, call = op.call, cost = op.cost, background = op.background,
        ['until'] = now + math.min(op.withinMs, LONGEST_WAIT_MS),
      }
      enqueue(op.user)
      added = op.id
    end
  elseif op.type == 'leave' then
    state.waiters = keep(state.waiters, function(waiter) return waiter.id ~= op.id end)
    state.shared = keep(state.shared, function(waiter) return waiter.id ~= op.id end)
    local held, index = find(state.slots, op.id)
    if held and held.doneAt < 0 then
      table.remove(state.slots, index)
      unshareCall(held.call)
    end
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
      if op.outcome ~= 'answered' then unshareCall(held.call) end
    end
  elseif op.type == 'limited' then
    countLimited()
  elseif op.type == 'bye' then
    state.waiters = keep(state.waiters, function(waiter) return waiter.instance ~= op.instance end)
    state.shared = keep(state.shared, function(waiter) return waiter.instance ~= op.instance end)
    state.dueAt[op.instance] = nil
  end
end

local function grantHeads(queue)
  if op.after == 'silence' then return queue end
  while true do
    local head = queue[1]
    if not head then return queue end
    -- Without the others of its call the new request would be alone.
    local entry = #queue == 1 and find(state.waiters, added)
    local bursts = entry and isSameCall(head, entry) and openAt({ entry }, true) <= now
    if bursts then head = entry end
    if head.instance ~= op.instance or (not bursts and openAt(queue, false) > now) then return queue end
    countGrant(head, queue)
    table.remove(queue, 1)
    state.waiters = keep(state.waiters, function(waiter) return waiter.id ~= head.id end)
    state.slots[#state.slots + 1] = {
      id = head.id, user = head.user, call = head.call, instance = head.call and op.instance, grantedAt = now, doneAt = -1,
      freeAt = now + rules.timeoutMs + rules.windowMs,
    }
    granted[#granted + 1] = head.id
    -- The others with this call were counted before the next calls of their users.
    if shareCall(head.call) then queue = fairOrder() end
  end
end

local function admit(queue, waitMsAt)
  local entry = find(state.waiters, added)
  if not entry then return end
  local place
  for index, waiter in ipairs(queue) do
    if isSameCall(waiter, entry) then place = index end
  end
  local waitMs = waitMsAt(place - 1)
  local reason
  if callsOf(op.user) > rules.maxWaitingPerUser then
    reason = 'user-queue-full'
  elseif #queue > rules.maxWaiting and place == #queue then
    reason = 'queue-full'
  elseif waitMs > op.withinMs then
    reason = 'too-late'
  end
  local leaving = place
  if reason then
    refused = { reason = reason, retryAfterMs = waitMs }
    state.waiters = keep(state.waiters, function(waiter) return waiter ~= entry end)
  elseif #queue > rules.maxWaiting then
    leaving = #queue
    state.waiters = keep(state.waiters, function(waiter) return not isSameCall(waiter, queue[leaving]) end)
  else
    return
  end
  local leaver = table.remove(queue, leaving)
  for _, waiter in ipairs(state.waiters) do
    if isSameCall(waiter, leaver) then
      table.insert(queue, leaving, waiter)
      return
    end
  end
end

steadyTimes()
noticeLoss()
noticeApart()
expire()
state.strict = state.strict or rules.strict
recover()
state.dueAt[op.instance] = now
act()
-- Sorted once a call: a grant takes the head from it, a refusal one place.
local queue = grantHeads(fairOrder())
local opensAt, waitMsAt = createForecast(queue)
admit(queue, waitMsAt)
forgetUsers()
local reply = replyOf(queue, opensAt, waitMsAt)
redis.call('SET', KEYS[1], cjson.encode(state), 'PX', ARGV[3])
return cjson.encode(reply)
