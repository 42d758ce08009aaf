--[[
Applies one call of one instance, and writes the state back (core/rules/applyOp.ts). The last part of the script.

KEYS[1]  the state of the account
ARGV[3]  how long the state is kept, in milliseconds
Uses: all of the other files

Output: JSON of BudgetReply (core/protocol.ts). Lua writes an empty list as {}
]]
local function noticeDelay()
  local delayMs = op.sentAt > 0 and now - op.sentAt or 0
  if delayMs < 750 then return end
  if op.after == 'answer' then op.after = 'silence' end
  op.silentMs = op.silentMs + delayMs
  op.own = nil
end

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
    if dueAt + 60000 < now and not state.apart[instance] then state.dueAt[instance] = nil end
  end
end

-- Without the others of its call a new request would be alone.
local function findBurst()
  for _, waiter in ipairs(state.waiters) do
    if added[waiter.id] == 'new' and openAt({ waiter }, true) <= now then return waiter end
  end
end

local function grantHeads(queue)
  if op.after == 'silence' then return queue end
  while true do
    if not queue[1] then return queue end
    local burst = #queue == 1 and findBurst()
    local head = burst or queue[1]
    if head.instance ~= op.instance or (not burst and openAt(queue, false) > now) then return queue end
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

local function isAlone(entry)
  for _, waiter in ipairs(state.waiters) do
    if not isSameCall(waiter, entry) and isPresent(waiter) then return false end
  end
  return true
end

local function enter(action)
  local held, index = find(state.slots, action.id)
  if held and held.doneAt < 0 and now < state.frozenUntil then
    table.remove(state.slots, index)
    held = nil
  end
  if held and held.doneAt < 0 then
    held.grantedAt = now
    held.freeAt = now + rules.timeoutMs + rules.windowMs
    granted[#granted + 1] = action.id
  elseif held or find(state.waiters, action.id) or find(state.shared, action.id) then
    return
  elseif isBeingMade(action.call, action.covered and action.covered.at) then
    shared[#shared + 1] = action.id
  else
    local entry = {
      id = action.id, instance = op.instance, user = action.user, call = action.call, cost = action.cost,
      background = action.background, ['until'] = now + math.min(action.withinMs, LONGEST_WAIT_MS),
    }
    state.waiters[#state.waiters + 1] = entry
    enqueue(action.user, action.covered and action.covered.start)
    added[action.id] = action.covered and 'again' or 'new'
    if isAlone(entry) then grantHeads(fairOrder()) end
  end
end

local function act(action)
  if action.type == 'ask' then
    enter(action)
  elseif action.type == 'leave' then
    state.waiters = keep(state.waiters, function(waiter) return waiter.id ~= action.id end)
    state.shared = keep(state.shared, function(waiter) return waiter.id ~= action.id end)
    local held, index = find(state.slots, action.id)
    if held and held.doneAt < 0 then
      table.remove(state.slots, index)
      unshareCall(held)
    end
  elseif action.type == 'release' then
    local held, index = find(state.slots, action.id)
    if held and held.doneAt < 0 then
      if action.outcome == 'unsent' then
        table.remove(state.slots, index)
      else
        held.doneAt = now
        held.freeAt = now + rules.windowMs + rules.marginMs
        if action.outcome == 'aborted' then held.freeAt = held.freeAt + rules.graceMs end
      end
      if action.outcome ~= 'answered' then unshareCall(held) end
    end
  elseif action.type == 'limited' then
    countLimited(action)
  elseif action.type == 'bye' then
    state.waiters = keep(state.waiters, function(waiter) return waiter.instance ~= op.instance end)
    state.shared = keep(state.shared, function(waiter) return waiter.instance ~= op.instance end)
    state.dueAt[op.instance] = nil
  end
end

noticeDelay()
steadyTimes()
noticeLoss()
noticeApart()
expire()
state.strict = state.strict or rules.strict
recover()
state.dueAt[op.instance] = now
for _, action in ipairs(op.actions) do act(action) end
-- Sorted once a call: a grant takes the head from it, a refusal one place.
local queue = grantHeads(fairOrder())
local opensAt, waitMsAt = createForecast(queue)
queue = admit(queue, waitMsAt)
forgetUsers()
local reply = replyOf(queue, opensAt, waitMsAt)
redis.call('SET', KEYS[1], cjson.encode(state), 'PX', ARGV[3])
return cjson.encode(reply)
