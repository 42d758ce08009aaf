-- Written by tools/lua/generate.ts from the TypeScript of core/rules and from redis/frame.lua. Do not edit it.
--[[
One call of one instance, as one step in Redis.

KEYS[1]  the state of the account: a JSON text
ARGV[1]  the rules: JSON of BudgetRules (core/protocol.ts)
ARGV[2]  the call: JSON of BudgetOp (core/protocol.ts)
ARGV[3]  how long the state is kept, in milliseconds

Output: JSON of BudgetReply (core/protocol.ts). Lua writes an empty list as {}
]]
-- The store's own clock judges every instance. Redis 7 stops it while a script runs.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Lua Library inline imports
local function __TS__ObjectKeys(obj)
    local result = {}
    local len = 0
    for key in pairs(obj) do
        len = len + 1
        result[len] = key
    end
    return result
end

local function __TS__ArrayIsArray(value)
    return type(value) == "table" and (value[1] ~= nil or next(value) == nil)
end

local function __TS__ObjectAssign(target, ...)
    local sources = {...}
    for i = 1, #sources do
        local source = sources[i]
        if type(source) == "table" then
            for key in pairs(source) do
                target[key] = source[key]
            end
        end
    end
    return target
end

local function __TS__StringStartsWith(self, searchString, position)
    if position == nil or position < 0 then
        position = 0
    end
    return string.sub(self, position + 1, #searchString + position) == searchString
end

local function __TS__ArrayFilter(self, callbackfn, thisArg)
    local result = {}
    local len = 0
    for i = 1, #self do
        if callbackfn(thisArg, self[i], i - 1, self) then
            len = len + 1
            result[len] = self[i]
        end
    end
    return result
end

local function __TS__ArrayFind(self, predicate, thisArg)
    for i = 1, #self do
        local elem = self[i]
        if predicate(thisArg, elem, i - 1, self) then
            return elem
        end
    end
    return nil
end

local function __TS__ArraySome(self, callbackfn, thisArg)
    for i = 1, #self do
        if callbackfn(thisArg, self[i], i - 1, self) then
            return true
        end
    end
    return false
end

local function __TS__ArrayMap(self, callbackfn, thisArg)
    local result = {}
    for i = 1, #self do
        result[i] = callbackfn(thisArg, self[i], i - 1, self)
    end
    return result
end
-- End of Lua Library inline imports
--- Beyond this a store that writes 14 digits does not keep a number.
local LARGEST = 100000000000000
local function isNumber(value)
    return type(value) == "number" and value > -LARGEST and value < LARGEST
end
local function fits(value, shape)
    if type(value) ~= "table" or value == nil then
        return false
    end
    local fields = value
    for ____, name in ipairs(shape.texts) do
        if type(fields[name]) ~= "string" then
            return false
        end
    end
    for ____, name in ipairs(shape.numbers) do
        if not isNumber(fields[name]) then
            return false
        end
    end
    for ____, name in ipairs(shape.flags) do
        if type(fields[name]) ~= "boolean" then
            return false
        end
    end
    for ____, name in ipairs(shape.optionalTexts) do
        if fields[name] ~= nil and type(fields[name]) ~= "string" then
            return false
        end
    end
    return true
end
local STATE = {texts = {"epoch"}, numbers = {
    "version",
    "calls",
    "lastAt",
    "steppedAt",
    "virtual",
    "lowered",
    "loweredAt",
    "frozenUntil",
    "limitedAt",
    "limitedInRow",
    "secondsSuspected",
    "foreignUse"
}, flags = {"cold", "strict"}, optionalTexts = {}}
--- Raised when a field gets another meaning. A new field does not raise it: the release before keeps fields
-- that it does not know (docs/decisions/budget.md).
local STATE_VERSION = 1
local function isEmptyObject(value)
    return type(value) == "table" and value ~= nil and #__TS__ObjectKeys(value) == 0
end
--- Lua writes an empty list as an empty object.
local function listOf(value, shape)
    if not __TS__ArrayIsArray(value) then
        return isEmptyObject(value) and ({}) or nil
    end
    for ____, item in ipairs(value) do
        if not fits(item, shape) then
            return nil
        end
    end
    return value
end
local SLOT = {texts = {"id", "user"}, numbers = {"grantedAt", "doneAt", "freeAt"}, flags = {}, optionalTexts = {"call", "instance"}}
local WAITER = {texts = {"id", "instance", "user"}, numbers = {"cost", "until"}, flags = {"background"}, optionalTexts = {"call"}}
local function numbersOf(value)
    if type(value) ~= "table" or value == nil then
        return nil
    end
    if __TS__ArrayIsArray(value) then
        local ____temp_0
        if #value > 0 then
            ____temp_0 = nil
        else
            ____temp_0 = {}
        end
        return ____temp_0
    end
    local numbers = value
    for name in pairs(numbers) do
        if not isNumber(numbers[name]) then
            return nil
        end
    end
    return numbers
end
--- A state from outside, or `broken` if it is of another version or has another shape. Fields that are not
-- known stay in it.
local function readState(found)
    if not fits(found, STATE) or found.version ~= STATE_VERSION then
        return "broken"
    end
    local slots = listOf(found.slots, SLOT)
    local waiters = listOf(found.waiters, WAITER)
    local shared = listOf(found.shared, WAITER)
    local tags = numbersOf(found.tags)
    local dueAt = numbersOf(found.dueAt)
    local apart = numbersOf(found.apart)
    if not slots or not waiters or not shared or not tags or not dueAt or not apart then
        return "broken"
    end
    return __TS__ObjectAssign(found, {
        slots = slots,
        waiters = waiters,
        shared = shared,
        tags = tags,
        dueAt = dueAt,
        apart = apart
    })
end
--- A call that took so long to arrive is too late: its sender gives it up after a second
-- (`createRedisStore.ts`).
local DELAYED_MS = 750
--- A client may try a call again until a server takes it, seconds later. By then its sender does not wait for
-- the reply, and has used slots since. So the call is granted nothing, and its report is too old.
local function noticeDelay(op, now)
    local delayMs = op.sentAt > 0 and now - op.sentAt or 0
    if delayMs < DELAYED_MS then
        return op
    end
    local after = op.after == "reply" and "silence" or op.after
    local ____op_1 = op
    local instance = ____op_1.instance
    local epoch = ____op_1.epoch
    local seen = ____op_1.seen
    local newEpoch = ____op_1.newEpoch
    local sentAt = ____op_1.sentAt
    local actions = ____op_1.actions
    return {
        instance = instance,
        epoch = epoch,
        seen = seen,
        newEpoch = newEpoch,
        after = after,
        silentMs = op.silentMs + delayMs,
        sentAt = sentAt,
        actions = actions
    }
end
local function createBudgetState(epoch, rules)
    return {
        version = STATE_VERSION,
        epoch = epoch,
        cold = true,
        calls = 0,
        lastAt = 0,
        steppedAt = 0,
        slots = {},
        waiters = {},
        shared = {},
        virtual = 0,
        tags = {},
        dueAt = {},
        apart = {},
        lowered = 0,
        loweredAt = 0,
        frozenUntil = 0,
        limitedAt = -1,
        limitedInRow = 0,
        secondsSuspected = 0,
        strict = rules.strict,
        foreignUse = 0
    }
end
--- A smaller step is mended without an event.
local NOTICED_STEP_MS = 500
--- No request waits longer.
local LONGEST_WAIT_MS = 3600000
--- An instance that is so late for its call may be using slots without the state. It does not begin earlier.
local LATE_MS = 500
--- The last reply to an instance may have come so long before its next call was due: a heartbeat, and calls
-- that have not failed yet.
local LONGEST_SILENCE_MS = 4000
--- An instance that is late for so long is not only just late.
local function justLateMs(rules)
    return math.max(LATE_MS, rules.windowMs + rules.graceMs - LONGEST_SILENCE_MS)
end
--- A longer Retry-After is cut to this.
local LONGEST_RETRY_AFTER_MS = 60000
--- One slot of so many is always left.
local LEFT_OF = 5
--- Slots that are in use however many 429s come.
local function fewestSlots(rules)
    return math.max(
        1,
        math.floor(rules.limit / LEFT_OF)
    )
end
--- Moves all times of the state back if the clock has stepped back since the last call, and cuts each to the
-- largest value that it can have. So nothing is held for longer than it could be.
local function steadyTimes(turn)
    local ____turn_2 = turn
    local state = ____turn_2.state
    local rules = ____turn_2.rules
    local now = ____turn_2.now
    local notices = ____turn_2.notices
    local byMs = math.max(0, state.lastAt - now)
    state.lastAt = now
    if byMs >= NOTICED_STEP_MS then
        notices[#notices + 1] = {type = "budget.store", reason = "clock-stepped", byMs = -byMs}
    end
    local function steady(at, longestMs)
        return math.min(at - byMs, now + longestMs)
    end
    for ____, slot in ipairs(state.slots) do
        slot.grantedAt = steady(slot.grantedAt, 0)
        if slot.doneAt >= 0 then
            slot.doneAt = math.max(
                0,
                steady(slot.doneAt, 0)
            )
        end
        slot.freeAt = steady(slot.freeAt, rules.timeoutMs + rules.windowMs + rules.marginMs + rules.graceMs)
    end
    for ____, list in ipairs({state.waiters, state.shared}) do
        for ____, waiter in ipairs(list) do
            waiter["until"] = steady(waiter["until"], LONGEST_WAIT_MS)
        end
    end
    local longestDueMs = math.max(rules.heartbeatMs, rules.pollMs)
    for instance in pairs(state.dueAt) do
        local dueAt = steady(state.dueAt[instance] or 0, longestDueMs)
        state.dueAt[instance] = byMs < NOTICED_STEP_MS and dueAt or math.min(
            dueAt,
            now - justLateMs(rules)
        )
    end
    local longestFreezeMs = math.max(LONGEST_RETRY_AFTER_MS, rules.windowMs + rules.graceMs)
    state.frozenUntil = steady(state.frozenUntil, longestFreezeMs)
    for instance in pairs(state.apart) do
        state.apart[instance] = steady(state.apart[instance] or 0, rules.windowMs + rules.graceMs)
    end
    state.loweredAt = steady(state.loweredAt, 0)
    state.steppedAt = steady(state.steppedAt, 0)
    if state.limitedAt >= 0 then
        state.limitedAt = math.max(
            0,
            steady(state.limitedAt, 0)
        )
    end
    state.lowered = math.max(
        0,
        math.min(
            state.lowered,
            rules.limit - fewestSlots(rules)
        )
    )
end
--- Reports within this time are of the same step: an idle instance calls every two seconds.
local SAME_STEP_MS = 4000
--- An instance that knows another epoch, or a higher call count of this one (the state was restored from a
-- copy), may have sent requests that this state does not hold. So may any instance if the state was broken,
-- or if a clock that stepped forward ended slots too early. Then no slot is granted for one window.
local function noticeLoss(turn, isBroken)
    local ____turn_3 = turn
    local state = ____turn_3.state
    local rules = ____turn_3.rules
    local op = ____turn_3.op
    local now = ____turn_3.now
    local notices = ____turn_3.notices
    local elsewhere = op.epoch ~= "" and op.epoch ~= state.epoch
    local restored = op.epoch == state.epoch and op.seen > state.calls
    local lost = elsewhere and state.cold or restored or isBroken
    if restored then
        state.epoch = op.newEpoch
    end
    if elsewhere or restored or isBroken then
        state.cold = false
    end
    if lost then
        notices[#notices + 1] = {type = "budget.store", reason = "state-lost"}
    end
    local stepped = op.after == "clock-step" and now - state.steppedAt >= SAME_STEP_MS
    if stepped then
        state.steppedAt = now
    end
    if lost or stepped then
        state.frozenUntil = math.max(state.frozenUntil, now + rules.windowMs + rules.graceMs)
    end
    state.calls = state.calls + 1
end
--- An instance that has not called for this long after it was due is no longer counted.
local FORGET_MS = 60000
--- A caller without a reply for so long was cut off.
local CUT_MS = 750
--- An id begins with the name of its instance.
local function isOfInstance(id, instance)
    return __TS__StringStartsWith(id, instance .. ":")
end
--- What the instance reports takes the place of what the state knew of it.
local function takeOver(state, instance, own, now)
    state.apart[instance] = nil
    local ids = {}
    for ____, ____value in ipairs(own) do
        local id = ____value.id
        ids[id] = true
    end
    state.waiters = __TS__ArrayFilter(
        state.waiters,
        function(____, waiter) return not (ids[waiter.id] ~= nil) end
    )
    state.slots = __TS__ArrayFilter(
        state.slots,
        function(____, slot) return not isOfInstance(slot.id, instance) end
    )
    for ____, ____value in ipairs(own) do
        local id = ____value.id
        local user = ____value.user
        local call = ____value.call
        local grantedMsAgo = ____value.grantedMsAgo
        local doneMsAgo = ____value.doneMsAgo
        local freeMs = ____value.freeMs
        local ____state_slots_8 = state.slots
        local ____id_5 = id
        local ____user_6 = user
        local ____call_7 = call
        local ____temp_4
        if call == nil then
            ____temp_4 = nil
        else
            ____temp_4 = instance
        end
        ____state_slots_8[#____state_slots_8 + 1] = {
            id = ____id_5,
            user = ____user_6,
            call = ____call_7,
            instance = ____temp_4,
            grantedAt = now - grantedMsAgo,
            doneAt = doneMsAgo < 0 and -1 or now - doneMsAgo,
            freeAt = now + freeMs
        }
    end
end
local function keepSlots(state, instance, ____until)
    for ____, slot in ipairs(state.slots) do
        if slot.doneAt >= 0 and isOfInstance(slot.id, instance) then
            slot.freeAt = math.max(slot.freeAt, ____until)
        end
    end
end
local function noticeApart(turn)
    local ____turn_9 = turn
    local state = ____turn_9.state
    local rules = ____turn_9.rules
    local op = ____turn_9.op
    local now = ____turn_9.now
    local previousAt = ____turn_9.previousAt
    local keptMs = rules.windowMs + rules.graceMs
    local wasAway = now > (state.dueAt[op.instance] or 0) + LATE_MS
    local hereUntil = wasAway and previousAt or now
    for instance in pairs(state.dueAt) do
        local dueAt = state.dueAt[instance] or 0
        local keptUntil = math.max(dueAt + keptMs, state.apart[instance] or 0)
        local isGone = keptUntil <= hereUntil or dueAt + FORGET_MS <= hereUntil
        if now > dueAt + LATE_MS and not isGone then
            state.apart[instance] = wasAway and now + keptMs or keptUntil
        end
    end
    if op.after ~= "reply" and op.silentMs >= CUT_MS then
        state.apart[op.instance] = now + keptMs
    end
    if op.own ~= nil then
        takeOver(state, op.instance, op.own, now)
    end
    for instance in pairs(state.apart) do
        local ____until = state.apart[instance] or 0
        if ____until <= now then
            state.apart[instance] = nil
        else
            keepSlots(state, instance, ____until)
        end
    end
end
local function expire(turn)
    local ____turn_10 = turn
    local state = ____turn_10.state
    local now = ____turn_10.now
    state.slots = __TS__ArrayFilter(
        state.slots,
        function(____, slot) return slot.freeAt > now end
    )
    state.waiters = __TS__ArrayFilter(
        state.waiters,
        function(____, waiter) return waiter["until"] > now end
    )
    state.shared = __TS__ArrayFilter(
        state.shared,
        function(____, waiter) return waiter["until"] > now end
    )
    for instance in pairs(state.dueAt) do
        if (state.dueAt[instance] or 0) + FORGET_MS < now and state.apart[instance] == nil then
            state.dueAt[instance] = nil
        end
    end
end
local CLEAN_MS = 30000
--- After a 429 one slot of so many is given up, and half as many come back after each 30 s without a 429.
local GIVEN_UP_OF = 12.5
local function givenUp(rules)
    return math.ceil(rules.limit / GIVEN_UP_OF)
end
--- Slots back for each clean period since the last 429.
local function recover(turn)
    local ____turn_11 = turn
    local state = ____turn_11.state
    local rules = ____turn_11.rules
    local now = ____turn_11.now
    local notices = ____turn_11.notices
    if state.lowered == 0 then
        return
    end
    while state.lowered > 0 and now - state.loweredAt >= CLEAN_MS do
        state.lowered = state.lowered - math.min(
            state.lowered,
            math.ceil(givenUp(rules) / 2)
        )
        state.loweredAt = state.loweredAt + CLEAN_MS
    end
    if state.lowered > 0 then
        return
    end
    local ____rules_12 = rules
    local limit = ____rules_12.limit
    notices[#notices + 1] = {
        type = "budget.limit",
        reason = "recovered",
        limit = limit,
        used = #state.slots,
        frozenMs = 0
    }
end
local function findById(list, id)
    return __TS__ArrayFind(
        list,
        function(____, waiter) return waiter.id == id end
    )
end
--- Whether the slot of another request makes this call now, or has made it since the request was covered. An
-- instance that makes it now must be alive.
local function isBeingMade(turn, call, coveredAt)
    if coveredAt == nil then
        coveredAt = math.huge
    end
    local ____turn_13 = turn
    local state = ____turn_13.state
    local rules = ____turn_13.rules
    local now = ____turn_13.now
    if call == nil then
        return false
    end
    return __TS__ArraySome(
        state.slots,
        function(____, slot)
            local ____temp_15 = slot.call == call
            if ____temp_15 then
                local ____temp_14
                if slot.doneAt >= 0 then
                    ____temp_14 = slot.grantedAt >= coveredAt
                else
                    ____temp_14 = now <= slot.freeAt - rules.windowMs and now <= (state.dueAt[slot.instance or ""] or 0) + rules.lateMs
                end
                ____temp_15 = ____temp_14
            end
            return ____temp_15
        end
    )
end
--- Sets the start of a user that comes to the queue, or comes back to it: it has kept its place since `start`.
local function enqueue(state, user, start)
    if start == nil then
        start = state.virtual
    end
    local ____state_tags_16, ____user_17 = state.tags, user
    if ____state_tags_16[____user_17] == nil then
        ____state_tags_16[____user_17] = math.min(start, state.virtual)
    end
end
--- Whether two requests of the queue need the same slot.
local function isSameCall(one, other)
    return one == other or one.call ~= nil and one.call == other.call
end
--- Whether a request can be served: its instance is not late for its call.
local function isPresent(turn, waiter)
    return turn.now <= (turn.state.dueAt[waiter.instance] or 0) + turn.rules.lateMs
end
--- Instances that called within the last minute.
local function countInstances(state)
    local count = 0
    for _instance in pairs(state.dueAt) do
        count = count + 1
    end
    return count
end
local function shareOf(whole, state)
    return math.max(
        1,
        math.floor(whole / math.max(
            1,
            countInstances(state)
        ))
    )
end
--- Slots that no instance is given, because another one may be using them without the state: its share, beyond
-- the slots that are known. One that has only just become late uses known slots alone, until a window after
-- its last reply.
local function keptBack(turn)
    local ____turn_18 = turn
    local state = ____turn_18.state
    local rules = ____turn_18.rules
    local op = ____turn_18.op
    local now = ____turn_18.now
    local slots = 0
    for instance in pairs(state.apart) do
        local lateMs = now - (state.dueAt[instance] or 0)
        local isJustLate = lateMs > LATE_MS and lateMs < justLateMs(rules)
        if instance ~= op.instance and not isJustLate then
            local known = #__TS__ArrayFilter(
                state.slots,
                function(____, slot) return isOfInstance(slot.id, instance) end
            )
            slots = slots + math.max(
                0,
                shareOf(rules.limit, state) - known
            )
        end
    end
    return slots
end
--- Slots that may be used at present. At least one, however many are kept back.
local function currentLimit(turn)
    local ____turn_19 = turn
    local state = ____turn_19.state
    local rules = ____turn_19.rules
    return math.max(
        1,
        rules.limit - state.lowered - keptBack(turn)
    )
end
--- When each slot no longer counts in a window of the given length, earliest first. In flight: as if its
-- response came now.
local function expectedFrees(turn, windowMs)
    local ____turn_20 = turn
    local state = ____turn_20.state
    local rules = ____turn_20.rules
    local now = ____turn_20.now
    local frees = __TS__ArrayMap(
        state.slots,
        function(____, slot) return slot.doneAt < 0 and math.min(slot.freeAt, now + windowMs + rules.marginMs) or slot.freeAt - rules.windowMs + windowMs end
    )
    table.sort(frees)
    return frees
end
--- The time at which fewer than `limit` of the given slots are left.
local function roomAt(frees, limit)
    return frees[#frees - limit + 1] or 0
end
local SECOND_MS = 1000
--- In strict mode: slots in any second. Each other instance that may be working without the state has its
-- share of them.
local function strictLimit(turn)
    local ____turn_21 = turn
    local state = ____turn_21.state
    local rules = ____turn_21.rules
    local op = ____turn_21.op
    local apart = 0
    for instance in pairs(state.apart) do
        if instance ~= op.instance then
            apart = apart + 1
        end
    end
    return math.max(
        1,
        rules.strictPerSecond - apart * shareOf(rules.strictPerSecond, state)
    )
end
local function heldBy(state, user)
    return #__TS__ArrayFilter(
        state.slots,
        function(____, slot) return slot.user == user end
    )
end
--- Grants are at least this part of the even interval apart. The rest lets late timers catch up.
local EVENNESS = 0.75
--- At most `perSecond` grants in any second, evenly spaced, so that a new request waits only briefly. If more
-- requests wait than there are slots left, as after a burst, these slots are spread until the first slot is
-- free again.
local function pacedAt(turn, limit, waiting)
    local ____turn_22 = turn
    local state = ____turn_22.state
    local rules = ____turn_22.rules
    local grants = __TS__ArrayMap(
        state.slots,
        function(____, slot) return slot.grantedAt end
    )
    table.sort(grants)
    local latest = grants[#grants]
    if latest == nil then
        return 0
    end
    local apartMs = math.floor(EVENNESS * rules.windowMs / limit)
    local left = limit - #grants
    if left > 0 and waiting > left then
        local soonestFree = math.huge
        for ____, slot in ipairs(state.slots) do
            soonestFree = math.min(soonestFree, slot.doneAt < 0 and slot.grantedAt + rules.windowMs or slot.freeAt)
        end
        apartMs = math.max(
            apartMs,
            math.floor((soonestFree - latest) / (left + 1))
        )
    end
    local nth = grants[#grants - rules.perSecond + 1]
    return math.max(latest + apartMs, nth == nil and 0 or nth + SECOND_MS)
end
--- The earliest time at which the head of the queue can get a slot. It is certain only if it is `now` or
-- earlier. `bursting`: the head has just come, and no other request waits.
local function openAt(turn, queue, bursting)
    local ____turn_23 = turn
    local state = ____turn_23.state
    local rules = ____turn_23.rules
    local limit = currentLimit(turn)
    local frees = expectedFrees(turn, rules.windowMs)
    local at = math.max(
        state.frozenUntil,
        roomAt(frees, limit)
    )
    if state.strict then
        at = math.max(
            at,
            roomAt(
                expectedFrees(turn, SECOND_MS),
                strictLimit(turn)
            )
        )
    end
    local head = queue[1]
    local mayBurst = bursting and state.lowered == 0 and (head and head.background) == false and heldBy(state, head.user) < rules.burst
    return mayBurst and at or math.max(
        at,
        pacedAt(turn, limit, #queue)
    )
end
local function mayBurst(turn, waiter)
    return turn.added[waiter.id] == "new" and openAt(turn, {waiter}, true) <= turn.now
end
local function startOf(state, user)
    return state.tags[user] or state.virtual
end
--- Moves the virtual time on for one grant of the queue, by its share of the users that wait, as in weighted
-- fair queueing. By the start alone, a stream of new users would hold it back, and users that were served
-- once would wait for ever.
local function countGrant(state, granted, queue)
    local start = startOf(state, granted.user)
    local seen = {}
    local users = 0
    for ____, waiter in ipairs(queue) do
        if not (seen[waiter.user] ~= nil) then
            users = users + 1
        end
        seen[waiter.user] = true
    end
    state.virtual = math.max(
        start,
        state.virtual + math.max(
            1,
            math.floor(granted.cost / users)
        )
    )
    state.tags[granted.user] = start + granted.cost
end
--- After a grant: takes all other requests with this call out of the queue. Returns whether there were any.
local function shareCall(state, call)
    if call == nil then
        return false
    end
    local others = __TS__ArrayFilter(
        state.waiters,
        function(____, waiter) return waiter.call == call end
    )
    if #others == 0 then
        return false
    end
    state.waiters = __TS__ArrayFilter(
        state.waiters,
        function(____, waiter) return waiter.call ~= call end
    )
    for ____, waiter in ipairs(others) do
        local ____state_shared_26 = state.shared
        ____state_shared_26[#____state_shared_26 + 1] = waiter
    end
    return true
end
--- The same for a user's requests with the same call. The length keeps apart users whose names begin alike.
local function userAndCall(____bindingPattern0)
    local id
    local call
    local user
    user = ____bindingPattern0.user
    call = ____bindingPattern0.call
    id = ____bindingPattern0.id
    return (((tostring(#user) .. " ") .. user) .. " ") .. (call or id)
end
--- The calls that can be made, in order: of each the request that is served first.
local function fairOrder(turn)
    local ____turn_27 = turn
    local state = ____turn_27.state
    local present = __TS__ArrayFilter(
        state.waiters,
        function(____, waiter) return isPresent(turn, waiter) end
    )
    local starts = {}
    local counted = {}
    local function isCounted(waiter)
        if waiter.call == nil then
            return false
        end
        local key = userAndCall(waiter)
        if counted[key] ~= nil then
            return true
        end
        counted[key] = true
        return false
    end
    turn.ranked = {}
    for ____, background in ipairs({false, true}) do
        local ranked = {}
        local arrival = 0
        for ____, waiter in ipairs(present) do
            arrival = arrival + 1
            if waiter.background == background and not isCounted(waiter) then
                local start = starts[waiter.user] or startOf(state, waiter.user)
                starts[waiter.user] = start + waiter.cost
                ranked[#ranked + 1] = {waiter = waiter, start = start, arrival = arrival}
            end
        end
        table.sort(
            ranked,
            function(a, b)
                local ____temp_28
                if a.start == b.start then
                    ____temp_28 = a.arrival < b.arrival
                else
                    ____temp_28 = a.start < b.start
                end
                return ____temp_28
            end
        )
        for ____, entry in ipairs(ranked) do
            local ____turn_ranked_29 = turn.ranked
            ____turn_ranked_29[#____turn_ranked_29 + 1] = entry.waiter
        end
    end
    local calls = {}
    local queue = {}
    for ____, waiter in ipairs(turn.ranked) do
        if waiter.call == nil then
            queue[#queue + 1] = waiter
        elseif not (calls[waiter.call] ~= nil) then
            calls[waiter.call] = true
            queue[#queue + 1] = waiter
        end
    end
    return queue
end
--- Grants slots while the head of the queue belongs to the calling instance. Other instances get theirs when
-- they call, so the holder of every granted slot knows it. Returns the rest of the queue.
local function grantHeads(turn, sorted)
    local ____turn_30 = turn
    local state = ____turn_30.state
    local rules = ____turn_30.rules
    local op = ____turn_30.op
    local now = ____turn_30.now
    local granted = ____turn_30.granted
    local queue = sorted
    if op.after == "silence" then
        return queue
    end
    do
        while true do
            local first = queue[1]
            if first == nil then
                return queue
            end
            local ____temp_31
            if #queue > 1 then
                ____temp_31 = nil
            else
                ____temp_31 = __TS__ArrayFind(
                    state.waiters,
                    function(____, waiter) return mayBurst(turn, waiter) end
                )
            end
            local burst = ____temp_31
            local head = burst or first
            if head.instance ~= op.instance or not burst and openAt(turn, queue, false) > now then
                return queue
            end
            countGrant(state, head, queue)
            table.remove(queue, 1)
            state.waiters = __TS__ArrayFilter(
                state.waiters,
                function(____, waiter) return waiter ~= head end
            )
            local freeAt = now + rules.timeoutMs + rules.windowMs
            local id = head.id
            local user = head.user
            local call = head.call
            local ____temp_32
            if call == nil then
                ____temp_32 = nil
            else
                ____temp_32 = op.instance
            end
            local instance = ____temp_32
            local ____state_slots_33 = state.slots
            ____state_slots_33[#____state_slots_33 + 1] = {
                id = id,
                user = user,
                call = call,
                instance = instance,
                grantedAt = now,
                doneAt = -1,
                freeAt = freeAt
            }
            granted[#granted + 1] = id
            if shareCall(state, call) then
                queue = fairOrder(turn)
            end
        end
    end
end
--- A request comes to the queue, or asks again.
local function enter(turn, ask)
    local ____turn_34 = turn
    local state = ____turn_34.state
    local rules = ____turn_34.rules
    local op = ____turn_34.op
    local now = ____turn_34.now
    local ____ask_35 = ask
    local id = ____ask_35.id
    local user = ____ask_35.user
    local call = ____ask_35.call
    local cost = ____ask_35.cost
    local background = ____ask_35.background
    local covered = ____ask_35.covered
    local held = __TS__ArrayFind(
        state.slots,
        function(____, slot) return slot.id == id end
    )
    if held ~= nil and held.doneAt >= 0 then
        return
    end
    if held ~= nil and now >= state.frozenUntil then
        held.grantedAt = now
        held.freeAt = now + rules.timeoutMs + rules.windowMs
        local ____turn_granted_36 = turn.granted
        ____turn_granted_36[#____turn_granted_36 + 1] = id
        return
    end
    state.slots = __TS__ArrayFilter(
        state.slots,
        function(____, slot) return slot ~= held end
    )
    if findById(state.waiters, id) ~= nil or findById(state.shared, id) ~= nil then
        return
    end
    if isBeingMade(turn, call, covered and covered.at) then
        local ____turn_shared_39 = turn.shared
        ____turn_shared_39[#____turn_shared_39 + 1] = id
        return
    end
    local ____until = now + math.min(ask.withinMs, LONGEST_WAIT_MS)
    local entry = {
        id = id,
        instance = op.instance,
        user = user,
        call = call,
        cost = cost,
        background = background,
        ["until"] = ____until
    }
    local ____state_waiters_40 = state.waiters
    ____state_waiters_40[#____state_waiters_40 + 1] = entry
    enqueue(state, user, covered and covered.start)
    turn.added[id] = covered == nil and "new" or "again"
    local other = __TS__ArrayFind(
        state.waiters,
        function(____, waiter) return not isSameCall(waiter, entry) and isPresent(turn, waiter) end
    )
    if other == nil then
        grantHeads(
            turn,
            fairOrder(turn)
        )
    end
end
--- After a slot was given back without a response: those that no reply has named yet wait again.
local function unshareCall(state, held)
    local ____held_43 = held
    local call = ____held_43.call
    if call == nil then
        return
    end
    held.call = nil
    local others = __TS__ArrayFilter(
        state.shared,
        function(____, waiter) return waiter.call == call end
    )
    state.shared = __TS__ArrayFilter(
        state.shared,
        function(____, waiter) return waiter.call ~= call end
    )
    for ____, waiter in ipairs(others) do
        enqueue(state, waiter.user)
        local ____state_waiters_44 = state.waiters
        ____state_waiters_44[#____state_waiters_44 + 1] = waiter
    end
end
local FIRST_FREEZE_MS = 1000
local LONGEST_FREEZE_MS = 5000
local JITTER = 0.25
--- After this many 429s that a limit for single seconds would explain, strict mode begins.
local SUSPICIONS = 2
local function countLimited(turn, action)
    local ____turn_45 = turn
    local state = ____turn_45.state
    local rules = ____turn_45.rules
    local now = ____turn_45.now
    local notices = ____turn_45.notices
    local retryAfterMs = math.min(action.retryAfterMs or -1, LONGEST_RETRY_AFTER_MS)
    local slot = __TS__ArrayFind(
        state.slots,
        function(____, held) return held.id == action.id end
    )
    if now < state.frozenUntil or slot ~= nil and slot.grantedAt <= state.limitedAt then
        state.frozenUntil = math.max(state.frozenUntil, now + retryAfterMs)
        return
    end
    state.limitedInRow = state.limitedAt >= 0 and now - state.limitedAt < CLEAN_MS and state.limitedInRow + 1 or 1
    state.limitedAt = now
    local backoffMs = math.min(FIRST_FREEZE_MS * 2 ^ (state.limitedInRow - 1), LONGEST_FREEZE_MS)
    local frozenMs = retryAfterMs >= 0 and retryAfterMs or math.floor(backoffMs * (1 + JITTER * action.jitter))
    state.frozenUntil = now + frozenMs
    local used = #state.slots
    local lately = #__TS__ArrayFilter(
        state.slots,
        function(____, held) return held.doneAt < 0 or held.doneAt > now - SECOND_MS end
    )
    local reason = "foreign-use"
    if not state.strict and lately > rules.perSecond then
        state.secondsSuspected = state.secondsSuspected + 1
        reason = state.secondsSuspected < SUSPICIONS and "single-seconds" or "strict"
    end
    if reason == "foreign-use" then
        state.foreignUse = state.foreignUse + 1
    end
    if reason == "strict" then
        state.strict = true
        state.lowered = 0
    else
        local most = rules.limit - fewestSlots(rules)
        state.lowered = math.max(
            state.lowered,
            math.min(
                state.lowered + givenUp(rules),
                most
            )
        )
        state.loweredAt = now
    end
    notices[#notices + 1] = {
        type = "budget.limit",
        reason = reason,
        limit = rules.limit - state.lowered,
        used = used,
        frozenMs = frozenMs
    }
end
--- Applies an action of the caller.
local function act(turn, action)
    local ____turn_46 = turn
    local state = ____turn_46.state
    local rules = ____turn_46.rules
    local op = ____turn_46.op
    local now = ____turn_46.now
    repeat
        local ____switch191 = action.type
        local ____cond191 = ____switch191 == "ask"
        if ____cond191 then
            enter(turn, action)
            break
        end
        ____cond191 = ____cond191 or ____switch191 == "leave"
        if ____cond191 then
            do
                local held = __TS__ArrayFind(
                    state.slots,
                    function(____, slot) return slot.id == action.id and slot.doneAt < 0 end
                )
                state.waiters = __TS__ArrayFilter(
                    state.waiters,
                    function(____, waiter) return waiter.id ~= action.id end
                )
                state.shared = __TS__ArrayFilter(
                    state.shared,
                    function(____, waiter) return waiter.id ~= action.id end
                )
                if held == nil then
                    break
                end
                state.slots = __TS__ArrayFilter(
                    state.slots,
                    function(____, slot) return slot ~= held end
                )
                unshareCall(state, held)
                break
            end
        end
        ____cond191 = ____cond191 or ____switch191 == "release"
        if ____cond191 then
            do
                local held = __TS__ArrayFind(
                    state.slots,
                    function(____, slot) return slot.id == action.id and slot.doneAt < 0 end
                )
                if held == nil then
                    break
                end
                if action.outcome == "unsent" then
                    state.slots = __TS__ArrayFilter(
                        state.slots,
                        function(____, slot) return slot ~= held end
                    )
                end
                held.doneAt = now
                held.freeAt = now + rules.windowMs + rules.marginMs
                if action.outcome == "aborted" then
                    held.freeAt = held.freeAt + rules.graceMs
                end
                if action.outcome ~= "answered" then
                    unshareCall(state, held)
                end
                break
            end
        end
        ____cond191 = ____cond191 or ____switch191 == "limited"
        if ____cond191 then
            countLimited(turn, action)
            break
        end
        ____cond191 = ____cond191 or ____switch191 == "bye"
        if ____cond191 then
            state.waiters = __TS__ArrayFilter(
                state.waiters,
                function(____, waiter) return waiter.instance ~= op.instance end
            )
            state.dueAt[op.instance] = nil
            break
        end
        do
            local ____ = action
        end
    until true
end
local function createForecast(turn, queue)
    local ____turn_47 = turn
    local rules = ____turn_47.rules
    local now = ____turn_47.now
    local limit = currentLimit(turn)
    local opensAt = math.max(
        now,
        openAt(turn, queue, false)
    )
    local frees = expectedFrees(turn, rules.windowMs)
    return {
        opensAt = opensAt,
        waitMs = function(____, position)
            local place = position % limit
            local rounds = math.floor(position / limit)
            local freeAt = frees[place - (limit - #frees) + 1] or now
            local at = math.max(opensAt + place * rules.windowMs / limit, freeAt) + rounds * rules.windowMs
            return math.ceil(at - now)
        end
    }
end
--- The queue keeps so many requests of a call: the best placed of different users. The first gives the call
-- its place. The others hold it if that one leaves, or its instance is gone. Requests that are not kept are
-- covered: their instances offer them again from time to time.
local KEPT_OF_CALL = 4
--- Of these users, in order of arrival, the requests for more calls than one user may wait for.
local function beyondOwnQueue(turn, users)
    local beyond = {}
    local calls = {}
    local lengths = {}
    for ____, waiter in ipairs(turn.state.waiters) do
        if users[waiter.user] ~= nil and isPresent(turn, waiter) then
            local call = userAndCall(waiter)
            local isNewCall = not (calls[call] ~= nil)
            local length = lengths[waiter.user] or 0
            if isNewCall and length < turn.rules.maxWaitingPerUser then
                calls[call] = true
                lengths[waiter.user] = length + 1
            elseif isNewCall then
                beyond[waiter] = true
            end
        end
    end
    return beyond
end
local function requestsOf(waiters, head)
    return head.call == nil and ({head}) or __TS__ArrayFilter(
        waiters,
        function(____, waiter) return waiter.call == head.call end
    )
end
local function notKept(turn, sameCall)
    if #sameCall <= KEPT_OF_CALL then
        return {}
    end
    local all = {}
    for ____, waiter in ipairs(sameCall) do
        all[waiter] = true
    end
    local kept = {}
    local count = 0
    local function keep(waiter)
        if count >= KEPT_OF_CALL or not (all[waiter] ~= nil) or kept[waiter] ~= nil then
            return
        end
        kept[waiter] = true
        count = count + 1
    end
    for ____, waiter in ipairs(turn.ranked) do
        keep(waiter)
    end
    for ____, waiter in ipairs(sameCall) do
        keep(waiter)
    end
    return __TS__ArrayFilter(
        sameCall,
        function(____, waiter) return not (kept[waiter] ~= nil) end
    )
end
--- Refuses new requests that cannot get a slot in time, and keeps the queue to its maximum length. Returns the
-- rest of it. The instances of earlier requests that lose their place see that they are missing, ask again,
-- and are refused.
local function admit(turn, queue, forecast)
    local ____turn_48 = turn
    local state = ____turn_48.state
    local rules = ____turn_48.rules
    local op = ____turn_48.op
    local now = ____turn_48.now
    local added = ____turn_48.added
    local refused = ____turn_48.refused
    local covered = ____turn_48.covered
    local users = {}
    local newCalls = {}
    local isAnyNew = false
    for ____, waiter in ipairs(state.waiters) do
        if added[waiter.id] ~= nil then
            users[waiter.user] = true
            newCalls[waiter.call or waiter.id] = true
            isAnyNew = true
        end
    end
    if not isAnyNew then
        return queue
    end
    if #state.waiters > 2 * rules.maxWaiting * KEPT_OF_CALL then
        state.waiters = __TS__ArrayFilter(
            state.waiters,
            function(____, waiter) return isPresent(turn, waiter) end
        )
    end
    local beyond = beyondOwnQueue(turn, users)
    local gone = {}
    local kept = {}
    --- Returns the request with which the call keeps its place, if it keeps it.
    local function admitCall(head, isFull)
        local retryAfterMs = forecast:waitMs(#kept)
        local rest = {}
        for ____, waiter in ipairs(requestsOf(state.waiters, head)) do
            local isNew = added[waiter.id] ~= nil
            local reason
            if isNew and beyond[waiter] ~= nil then
                reason = "user-queue-full"
            elseif isFull then
                reason = "queue-full"
            elseif isNew and retryAfterMs > waiter["until"] - now then
                reason = "too-late"
            end
            if reason == nil then
                rest[#rest + 1] = waiter
            else
                gone[waiter] = true
            end
            if reason ~= nil and isNew then
                refused[#refused + 1] = {id = waiter.id, reason = reason, retryAfterMs = retryAfterMs}
            end
        end
        for ____, waiter in ipairs(notKept(turn, rest)) do
            gone[waiter] = true
            if waiter.instance == op.instance then
                covered[#covered + 1] = {
                    waiter.id,
                    startOf(state, waiter.user)
                }
            end
        end
        local ____gone_has_result_49
        if gone[head] ~= nil then
            ____gone_has_result_49 = __TS__ArrayFind(
                rest,
                function(____, waiter) return not (gone[waiter] ~= nil) end
            )
        else
            ____gone_has_result_49 = head
        end
        return ____gone_has_result_49
    end
    for ____, head in ipairs(queue) do
        local isFull = #kept >= rules.maxWaiting
        local isNewCall = newCalls[head.call or head.id] ~= nil
        local ____temp_50
        if isFull or isNewCall then
            ____temp_50 = admitCall(head, isFull)
        else
            ____temp_50 = head
        end
        local next = ____temp_50
        if next ~= nil then
            kept[#kept + 1] = next
        end
    end
    state.waiters = __TS__ArrayFilter(
        state.waiters,
        function(____, waiter) return not (gone[waiter] ~= nil) end
    )
    return kept
end
--- Removes users that do not wait and are no longer ahead of the virtual time; all users if none waits.
local function forgetUsers(state)
    local waiting = {}
    for ____, waiter in ipairs(state.waiters) do
        waiting[waiter.user] = true
    end
    local ____state_51 = state
    local tags = ____state_51.tags
    if #state.waiters == 0 then
        for user in pairs(tags) do
            state.virtual = math.max(state.virtual, tags[user] or 0)
        end
    end
    for user in pairs(tags) do
        if (tags[user] or 0) <= state.virtual and not (waiting[user] ~= nil) then
            tags[user] = nil
        end
    end
end
--- The caller's requests whose call another one makes. Each is named in one reply; a request that asks again
-- gets a new result.
local function tellShared(turn)
    local ____turn_52 = turn
    local state = ____turn_52.state
    local op = ____turn_52.op
    local shared = ____turn_52.shared
    for ____, waiter in ipairs(state.shared) do
        if waiter.instance == op.instance then
            shared[#shared + 1] = waiter.id
        end
    end
    state.shared = __TS__ArrayFilter(
        state.shared,
        function(____, waiter) return waiter.instance ~= op.instance end
    )
end
--- The reply to the calling instance: the results of its requests, when to call again, and the state of the
-- account.
local function replyOf(turn, queue, forecast)
    local ____turn_53 = turn
    local state = ____turn_53.state
    local rules = ____turn_53.rules
    local op = ____turn_53.op
    local now = ____turn_53.now
    local granted = ____turn_53.granted
    local shared = ____turn_53.shared
    local covered = ____turn_53.covered
    local refused = ____turn_53.refused
    local notices = ____turn_53.notices
    local ____forecast_54 = forecast
    local opensAt = ____forecast_54.opensAt
    local waitMs = ____forecast_54.waitMs
    tellShared(turn)
    local places = {}
    local place = 0
    for ____, waiter in ipairs(queue) do
        places[waiter.call or waiter.id] = place
        place = place + 1
    end
    local waiting = {}
    local ahead = math.huge
    for ____, waiter in ipairs(state.waiters) do
        local position = places[waiter.call or waiter.id]
        if position ~= nil and waiter.instance == op.instance then
            waiting[#waiting + 1] = {
                waiter.id,
                waitMs(nil, position)
            }
            local ____ahead_57 = ahead
            local ____opt_55 = queue[position + 1]
            ahead = math.min(____ahead_57, (____opt_55 and ____opt_55.instance) == op.instance and position or position + 1)
        end
    end
    local nextMs = rules.heartbeatMs
    if ahead < math.huge then
        local turnAt = opensAt + math.floor(ahead * rules.windowMs / rules.limit)
        nextMs = math.min(
            math.max(
                1,
                math.ceil(turnAt - now)
            ),
            rules.pollMs
        )
    end
    if not __TS__ArraySome(
        op.actions,
        function(____, action) return action.type == "bye" end
    ) then
        state.dueAt[op.instance] = now + nextMs
    end
    local frees = __TS__ArrayMap(
        state.slots,
        function(____, slot) return slot.freeAt - now end
    )
    table.sort(frees)
    return {
        at = now,
        epoch = state.epoch,
        calls = state.calls,
        granted = granted,
        shared = shared,
        waiting = waiting,
        covered = covered,
        refused = refused,
        nextMs = nextMs,
        openMs = math.ceil(opensAt - now),
        limit = rules.limit - state.lowered,
        frees = frees,
        waitingTotal = #queue,
        frozenMs = math.max(
            0,
            math.ceil(state.frozenUntil - now)
        ),
        strict = state.strict,
        foreignUse = state.foreignUse,
        instances = countInstances(state),
        apart = state.apart[op.instance] ~= nil,
        notices = notices
    }
end
--- One call of one instance: the whole of the budget's rules, without a timer and without I/O. It changes
-- `state` in place (`undefined`: there is none yet; `broken`: what there is cannot be used) and grants what
-- the caller can get now. The script for Redis is compiled from this file and those that it imports: `npx tsx
-- tools/lua/generate.ts` after a change.
local function applyOp(previous, rules, sent, now)
    local op = noticeDelay(sent, now)
    local isBroken = previous == "broken"
    local state = (previous == nil or isBroken) and createBudgetState(op.newEpoch, rules) or previous
    local turn = {
        state = state,
        rules = rules,
        op = op,
        now = now,
        previousAt = math.min(state.lastAt, now),
        granted = {},
        shared = {},
        notices = {},
        added = {},
        refused = {},
        covered = {},
        ranked = {}
    }
    steadyTimes(turn)
    noticeLoss(turn, isBroken)
    noticeApart(turn)
    expire(turn)
    if not state.strict then
        state.strict = rules.strict
    end
    recover(turn)
    state.dueAt[op.instance] = now
    for ____, action in ipairs(op.actions) do
        act(turn, action)
    end
    local ready = grantHeads(
        turn,
        fairOrder(turn)
    )
    local forecast = createForecast(turn, ready)
    local queue = admit(turn, ready, forecast)
    forgetUsers(state)
    return {
        state = state,
        reply = replyOf(turn, queue, forecast)
    }
end

local kind = redis.call('TYPE', KEYS[1]).ok
local previous
if kind == 'string' then
  local isJson, found = pcall(cjson.decode, redis.call('GET', KEYS[1]))
  previous = isJson and readState(found) or 'broken'
elseif kind ~= 'none' then
  redis.call('DEL', KEYS[1])
  previous = 'broken'
end
local applied = applyOp(previous, cjson.decode(ARGV[1]), cjson.decode(ARGV[2]), now)
redis.call('SET', KEYS[1], cjson.encode(applied.state), 'PX', ARGV[3])
return cjson.encode(applied.reply)
