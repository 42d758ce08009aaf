--[[
Refuses new requests that cannot get a slot in time, and keeps the line to its maximum length (core/rules/admit.ts).

Uses: rules, op, state, now, covered, refused, ranked, keep, isPresent, startOf
Output: admit(queue, waitMsAt) gives the rest of the queue; added: the requests that this call put into the line, 'new' or 'again' by id
]]
local KEPT_OF_CALL = 4
local added = {}

local function beyondOwnLine()
  local beyond, calls, lengths = {}, {}, {}
  for _, waiter in ipairs(state.waiters) do
    if isPresent(waiter) then
      local call = waiter.call or waiter.id
      local own = calls[waiter.user] or {}
      calls[waiter.user] = own
      local length = lengths[waiter.user] or 0
      if not own[call] and length < rules.maxWaitingPerUser then
        own[call] = true
        lengths[waiter.user] = length + 1
      elseif not own[call] then
        beyond[waiter.id] = true
      end
    end
  end
  return beyond
end

local function byCall()
  local requests = {}
  for _, waiter in ipairs(state.waiters) do
    local call = waiter.call or waiter.id
    requests[call] = requests[call] or {}
    table.insert(requests[call], waiter)
  end
  return requests
end

local function coverRest(sameCall, gone)
  if #sameCall <= KEPT_OF_CALL then return end
  local all, stays, count = {}, {}, 0
  for _, waiter in ipairs(sameCall) do all[waiter.id] = true end
  local function stay(waiter)
    if all[waiter.id] and not stays[waiter.id] and count < KEPT_OF_CALL then
      stays[waiter.id] = true
      count = count + 1
    end
  end
  for _, entry in ipairs(ranked) do stay(entry.waiter) end
  -- Then the second requests of these users, and those of instances that are late.
  for _, waiter in ipairs(sameCall) do stay(waiter) end
  for _, waiter in ipairs(sameCall) do
    if not stays[waiter.id] then
      gone[waiter.id] = true
      if waiter.instance == op.instance then covered[#covered + 1] = { waiter.id, startOf(waiter.user) } end
    end
  end
end

local function admit(queue, waitMsAt)
  if #keep(state.waiters, function(waiter) return added[waiter.id] end) == 0 then return queue end
  -- Instances that died leave theirs behind.
  if #state.waiters > 2 * rules.maxWaiting * KEPT_OF_CALL then state.waiters = keep(state.waiters, isPresent) end
  local requests = byCall()
  local beyond, gone, kept = beyondOwnLine(), {}, {}
  for _, head in ipairs(queue) do
    local isFull = #kept >= rules.maxWaiting
    local retryAfterMs = waitMsAt(#kept)
    local rest = {}
    for _, waiter in ipairs(requests[head.call or head.id]) do
      local reason
      if added[waiter.id] and beyond[waiter.id] then
        reason = 'user-queue-full'
      elseif isFull then
        reason = 'queue-full'
      elseif added[waiter.id] and retryAfterMs > waiter['until'] - now then
        reason = 'too-late'
      end
      if reason then
        gone[waiter.id] = true
        if added[waiter.id] then
          refused[#refused + 1] = { id = waiter.id, reason = reason, retryAfterMs = retryAfterMs }
        end
      else
        rest[#rest + 1] = waiter
      end
    end
    coverRest(rest, gone)
    if gone[head.id] then head = keep(rest, function(waiter) return not gone[waiter.id] end)[1] end
    if head then kept[#kept + 1] = head end
  end
  if next(gone) ~= nil then
    state.waiters = keep(state.waiters, function(waiter) return not gone[waiter.id] end)
  end
  return kept
end
