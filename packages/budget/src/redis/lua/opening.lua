--[[
When the next slot can be given, and how long each request of the line will wait (core/rules/opening.ts).

Uses: rules, state, now
Output: currentLimit() in slots; openAt(queue, bursting, known) as a time, from expectedFrees() if they are known;
createForecast(queue) gives the time at which a slot can be given, and a function from a place (0 is the head) to its wait
]]
local function isOf(id, instance)
  return string.sub(id, 1, #instance + 1) == instance .. ':'
end

local function shareOf(whole)
  local instances = 0
  for _ in pairs(state.dueAt) do instances = instances + 1 end
  return math.max(1, math.floor(whole / math.max(1, instances)))
end

local function currentLimit()
  local share = shareOf(rules.limit)
  local keptBack = 0
  for instance in pairs(state.apart) do
    if instance ~= op.instance then
      local known = #keep(state.slots, function(slot) return isOf(slot.id, instance) end)
      keptBack = keptBack + math.max(0, share - known)
    end
  end
  return math.max(1, rules.limit - state.lowered - keptBack)
end

local function roomAt(frees, limit)
  if #frees < limit then return 0 end
  return frees[#frees - limit + 1]
end

local function expectedFrees(windowMs)
  local frees = {}
  for index, slot in ipairs(state.slots) do
    if slot.doneAt < 0 then
      frees[index] = math.min(slot.freeAt, now + windowMs + rules.marginMs)
    else
      frees[index] = slot.freeAt - rules.windowMs + windowMs
    end
  end
  table.sort(frees)
  return frees
end

local function pacedAt(limit, waiting)
  local grants = {}
  for index, slot in ipairs(state.slots) do grants[index] = slot.grantedAt end
  table.sort(grants)
  local latest = grants[#grants]
  if latest == nil then return 0 end
  local apartMs = math.floor((0.75 * rules.windowMs) / limit)
  local left = limit - #grants
  if left > 0 and waiting > left then
    local soonestFree = math.huge
    for _, slot in ipairs(state.slots) do
      soonestFree = math.min(soonestFree, slot.doneAt < 0 and slot.grantedAt + rules.windowMs or slot.freeAt)
    end
    apartMs = math.max(apartMs, math.floor((soonestFree - latest) / (left + 1)))
  end
  local nth = grants[#grants - rules.perSecond + 1]
  return math.max(latest + apartMs, nth and nth + SECOND_MS or 0)
end

local function strictLimit()
  local apart = 0
  for instance in pairs(state.apart) do
    if instance ~= op.instance then apart = apart + 1 end
  end
  return math.max(1, rules.strictPerSecond - apart * shareOf(rules.strictPerSecond))
end

local function openAt(queue, bursting, known)
  local limit = currentLimit()
  local frees = known or expectedFrees(rules.windowMs)
  local at = math.max(state.frozenUntil, roomAt(frees, limit))
  if state.strict then at = math.max(at, roomAt(expectedFrees(SECOND_MS), strictLimit())) end
  if bursting and state.lowered == 0 and not queue[1].background then
    local held = keep(state.slots, function(slot) return slot.user == queue[1].user end)
    if #held < rules.burst then return at end
  end
  return math.max(at, pacedAt(limit, #queue))
end

local function createForecast(queue)
  local limit = currentLimit()
  local frees = expectedFrees(rules.windowMs)
  local opensAt = math.max(now, openAt(queue, false, frees))
  return opensAt, function(position)
    local turn = position % limit
    local rounds = math.floor(position / limit)
    local freeAt = frees[turn - (limit - #frees) + 1] or now
    local at = math.max(opensAt + (turn * rules.windowMs) / limit, freeAt) + rounds * rules.windowMs
    return math.ceil(at - now)
  end
end
