import { spawnSync } from 'node:child_process'
import { BUDGET_SCRIPT } from '../packages/budget/src/redis/budgetScript.js'
import { provideLuacheck } from './programs.js'
import { run } from './run.js'

/*
 * Runs luacheck over the budget's Lua: each file with .luacheckrc, and the script that Redis gets without it, so that no name is unused or
 * used before it is defined. A machine without luacheck fails, with a sentence that says how to get it.
 */

const luacheck = await provideLuacheck()
const files = await run(luacheck, ['packages/budget/src/redis/lua'])

const redisNames = ['redis', 'cjson', 'KEYS', 'ARGV']
const options = ['--no-config', '--std', 'lua51', '--no-max-line-length', '--read-globals', ...redisNames]
const whole = spawnSync(luacheck, ['-', '--filename', 'the whole script', ...options], {
  input: BUDGET_SCRIPT,
  stdio: ['pipe', 'inherit', 'inherit'],
})
process.exitCode = files !== 0 || whole.status !== 0 ? 1 : 0
