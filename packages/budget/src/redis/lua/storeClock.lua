--[[
The time of the call, by the store's own clock: every instance is judged by this one. Redis 7 stops it while a script runs.

Output: now  milliseconds since 1970
]]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
