--[[
Who is next: start-time fair queueing by user (core/rules/fairOrder.ts).

Uses: rules, op, state, now
Output: fairOrder() gives the requests that can be served, in order; countGrant, enqueue and forgetUsers change the state
]]
local function startOf(user)
  return state.tags[user] or state.virtual
end

local function fairOrder()
  local present = keep(state.waiters, function(waiter)
    return now <= (state.dueAt[waiter.instance] or 0) + rules.lateMs
  end)
  local ranked, starts = {}, {}
  for _, background in ipairs({ false, true }) do
    for arrival, waiter in ipairs(present) do
      if waiter.background == background then
        local start = starts[waiter.user] or startOf(waiter.user)
        starts[waiter.user] = start + waiter.cost
        ranked[#ranked + 1] = { waiter = waiter, start = start, arrival = arrival }
      end
    end
  end
  table.sort(ranked, function(a, b)
    if a.waiter.background ~= b.waiter.background then return b.waiter.background end
    if a.start ~= b.start then return a.start < b.start end
    return a.arrival < b.arrival
  end)
  local queue = {}
  for index, entry in ipairs(ranked) do queue[index] = entry.waiter end
  return queue
end

local function countGrant(granted, queue)
  local start = startOf(granted.user)
  local seen, users = {}, 0
  for _, waiter in ipairs(queue) do
    if not seen[waiter.user] then
      seen[waiter.user] = true
      users = users + 1
    end
  end
  state.virtual = math.max(start, state.virtual + math.max(1, math.floor(granted.cost / users)))
  state.tags[granted.user] = start + granted.cost
end

local function enqueue(user)
  state.tags[user] = state.tags[user] or state.virtual
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
