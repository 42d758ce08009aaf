--[[
Refuses new requests that cannot get a slot in time, and keeps the line to its maximum length (core/rules/admit.ts).

Uses: rules, state, now, refused, keep, isPresent
Output: admit(queue, waitMsAt) gives the rest of the queue; added: the ids of the requests that this call put into the line
]]
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
  local requests, isNew = {}, false
  for _, waiter in ipairs(state.waiters) do
    local call = waiter.call or waiter.id
    requests[call] = requests[call] or {}
    table.insert(requests[call], waiter)
    isNew = isNew or added[waiter.id]
  end
  return requests, isNew
end

local function admit(queue, waitMsAt)
  if next(added) == nil then return queue end
  local requests, isNew = byCall()
  if not isNew then return queue end
  local beyond, gone, kept = beyondOwnLine(), {}, {}
  for _, head in ipairs(queue) do
    local isFull = #kept >= rules.maxWaiting
    local retryAfterMs = waitMsAt(#kept)
    local following
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
      elseif not following or waiter.id == head.id then
        following = waiter
      end
    end
    if following then kept[#kept + 1] = following end
  end
  if next(gone) ~= nil then
    state.waiters = keep(state.waiters, function(waiter) return not gone[waiter.id] end)
  end
  return kept
end
