--[[
Who is next: start-time fair queueing by user (core/rules/fairOrder.ts).

Uses: rules, state, now, keep
Output: fairOrder() gives the calls that can be made, in order: of each the request that is served first; isPresent(waiter);
ranked: { waiter } as last sorted, with all requests of each call but the second of a user;
countGrant, enqueue and forgetUsers change the state
]]
local function startOf(user)
  return state.tags[user] or state.virtual
end

local ranked

local function isPresent(waiter)
  return now <= (state.dueAt[waiter.instance] or 0) + rules.lateMs
end

local function fairOrder()
  local present = keep(state.waiters, isPresent)
  local starts, counted = {}, {}
  ranked = {}
  for _, background in ipairs({ false, true }) do
    for arrival, waiter in ipairs(present) do
      local key = waiter.call and waiter.user .. ' ' .. waiter.call
      if waiter.background == background and not (key and counted[key]) then
        if key then counted[key] = true end
        local start = starts[waiter.user] or startOf(waiter.user)
        starts[waiter.user] = start + waiter.cost
        ranked[#ranked + 1] = { waiter = waiter, rank = background and start + 1e15 or start, arrival = arrival }
      end
    end
  end
  table.sort(ranked, function(a, b)
    if a.rank ~= b.rank then return a.rank < b.rank end
    return a.arrival < b.arrival
  end)
  local queue, calls = {}, {}
  for _, entry in ipairs(ranked) do
    local call = entry.waiter.call
    if not (call and calls[call]) then
      if call then calls[call] = true end
      queue[#queue + 1] = entry.waiter
    end
  end
  return queue
end

local function countGrant(head, queue)
  local start = startOf(head.user)
  local seen, users = {}, 0
  for _, waiter in ipairs(queue) do
    if not seen[waiter.user] then
      seen[waiter.user] = true
      users = users + 1
    end
  end
  state.virtual = math.max(start, state.virtual + math.max(1, math.floor(head.cost / users)))
  state.tags[head.user] = start + head.cost
end

local function enqueue(user, start)
  state.tags[user] = state.tags[user] or math.min(start or state.virtual, state.virtual)
end

local function forgetUsers()
  local waiting = {}
  for _, waiter in ipairs(state.waiters) do waiting[waiter.user] = true end
  if next(waiting) == nil then
    for _, tag in pairs(state.tags) do state.virtual = math.max(state.virtual, tag) end
  end
  for user, tag in pairs(state.tags) do
    if tag <= state.virtual and not waiting[user] then state.tags[user] = nil end
  end
end
