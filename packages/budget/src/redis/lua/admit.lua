--[[
Refuses new requests that cannot get a slot in time, and keeps the line to its maximum length (core/rules/admit.ts).

Uses: rules, op, state, now, covered, refused, ranked, keep, isPresent, startOf
Output: admit(queue, waitMsAt) gives the rest of the queue; added: the requests that this call put into the line, 'new' or 'again' by id
]]
local KEPT_OF_CALL = 4
local added = {}

local function listAdded()
  local users, calls, found = {}, {}, false
  for _, waiter in ipairs(state.waiters) do
    if added[waiter.id] then
      users[waiter.user] = true
      calls[waiter.call or waiter.id] = true
      found = true
    end
  end
  return users, calls, found
end

local function beyondOwnLine(users)
  local beyond, calls, lengths = {}, {}, {}
  for _, waiter in ipairs(state.waiters) do
    local user = waiter.user
    if users[user] and isPresent(waiter) then
      local call = waiter.call or waiter.id
      local own = calls[user] or {}
      calls[user] = own
      local length = lengths[user] or 0
      if not own[call] and length < rules.maxWaitingPerUser then
        own[call] = true
        lengths[user] = length + 1
      elseif not own[call] then
        beyond[waiter.id] = true
      end
    end
  end
  return beyond
end

local function requestsOf(head)
  if not head.call then return { head } end
  return keep(state.waiters, function(waiter) return waiter.call == head.call end)
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
  local users, calls, found = listAdded()
  if not found then return queue end
  -- Instances that died leave theirs behind.
  if #state.waiters > 2 * rules.maxWaiting * KEPT_OF_CALL then state.waiters = keep(state.waiters, isPresent) end
  local beyond, gone, kept = beyondOwnLine(users), {}, {}
  for _, head in ipairs(queue) do
    local isFull = #kept >= rules.maxWaiting
    if isFull or calls[head.call or head.id] then
      local retryAfterMs = waitMsAt(#kept)
      local rest = {}
      for _, waiter in ipairs(requestsOf(head)) do
        local isNew = added[waiter.id]
        local reason
        if isNew and beyond[waiter.id] then
          reason = 'user-queue-full'
        elseif isFull then
          reason = 'queue-full'
        elseif isNew and retryAfterMs > waiter['until'] - now then
          reason = 'too-late'
        end
        if not reason then
          rest[#rest + 1] = waiter
        else
          gone[waiter.id] = true
          if isNew then refused[#refused + 1] = { id = waiter.id, reason = reason, retryAfterMs = retryAfterMs } end
        end
      end
      coverRest(rest, gone)
      if gone[head.id] then head = keep(rest, function(waiter) return not gone[waiter.id] end)[1] end
    end
    if head then kept[#kept + 1] = head end
  end
  if next(gone) ~= nil then
    state.waiters = keep(state.waiters, function(waiter) return not gone[waiter.id] end)
  end
  return kept
end
