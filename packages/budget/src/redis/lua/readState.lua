--[[
The state as the last call left it, or a new one if there is none or what there is cannot be used (core/readState.ts).

KEYS[1]  the state of the account: a JSON text
Uses: createBudgetState, STATE_VERSION

Output: state; broken, if there was one of another version, another shape or another type of Redis
]]
local STATE = {
  version = 'number', lastAt = 'number', steppedAt = 'number', epoch = 'string', cold = 'boolean', calls = 'number', virtual = 'number', lowered = 'number', loweredAt = 'number',
  frozenUntil = 'number', limitedAt = 'number', limitedInRow = 'number', secondsSuspected = 'number', strict = 'boolean',
  foreignUse = 'number',
}
local SLOT = {
  id = 'string', user = 'string', grantedAt = 'number', doneAt = 'number', freeAt = 'number', call = 'string?',
  instance = 'string?',
}
local WAITER = {
  id = 'string', instance = 'string', user = 'string', call = 'string?', cost = 'number', background = 'boolean',
  ['until'] = 'number',
}

local function isKind(value, kind)
  return type(value) == kind and (kind ~= 'number' or (value > -1e14 and value < 1e14))
end

local function fits(value, shape)
  if type(value) ~= 'table' then return false end
  for name, kind in pairs(shape) do
    local item = value[name]
    local found = type(item)
    if found ~= kind and not (kind == 'string?' and (found == 'string' or found == 'nil')) then return false end
    if kind == 'number' and (item <= -1e14 or item >= 1e14) then return false end
  end
  return true
end

local function isList(value, shape)
  if type(value) ~= 'table' or (next(value) ~= nil and value[1] == nil) then return false end
  for _, item in ipairs(value) do
    if not fits(item, shape) then return false end
  end
  return true
end

local function isNumbers(value)
  if type(value) ~= 'table' then return false end
  for name, item in pairs(value) do
    if type(name) ~= 'string' or not isKind(item, 'number') then return false end
  end
  return true
end

local function readState()
  local kind = redis.call('TYPE', KEYS[1]).ok
  if kind == 'none' then return createBudgetState(), false end
  if kind ~= 'string' then
    redis.call('DEL', KEYS[1])
    return createBudgetState(), true
  end
  local isJson, found = pcall(cjson.decode, redis.call('GET', KEYS[1]))
  if not isJson or not fits(found, STATE) then return createBudgetState(), true end
  local isWhole = found.version == STATE_VERSION and isNumbers(found.apart)
    and isList(found.slots, SLOT) and isList(found.waiters, WAITER)
    and isList(found.shared, WAITER) and isNumbers(found.tags) and isNumbers(found.dueAt)
  if isWhole then return found, false end
  return createBudgetState(), true
end

local state, broken = readState()
