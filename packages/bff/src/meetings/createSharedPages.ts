import { type RedisClient, redisEval } from '@stagepass/budget'
import type { EmitEvent } from '../context/events.js'
import type { Breaker } from '../gate/createBreaker.js'
import { createPageSeal } from './createPageSeal.js'

/** Cache keys of one page: under the secret in use, and under the previous one, if there is one. */
export type CacheKeys = readonly [string, ...string[]]

export interface SharedPage {
  /** As it is in Redis: it is different for each load. */
  readonly sealed: string
  /** `undefined`: the last load failed, or what is there was not sealed by an instance of this account. */
  readonly json: string | undefined
  readonly ageMs: number
}

/** Pages that all instances of an account share, sealed, in Redis. While Redis does not respond there are none. */
export interface SharedPages {
  /** `undefined` if there is none, or only `known`: what was read before. */
  read(keys: CacheKeys, known?: string): Promise<SharedPage | undefined>
  write(keys: CacheKeys, json: string): Promise<void>
  /** Tells the instances that wait for the page to load it themselves. A page that is there stays. */
  markFailed(keys: CacheKeys): Promise<void>
}

export interface SharedPagesOptions {
  readonly redis: RedisClient
  readonly account: string
  /** The one in use, then the previous one. */
  readonly secrets: readonly string[]
  readonly keepMs: number
  readonly breaker: Breaker
  readonly emit: EmitEvent
}

/** A longer page is not shared. 100 meetings with long notes have about 200 KiB. */
const MAX_PAGE_BYTES = 262_144

/** The beginning of a page in Redis, with its nonce: two pages differ in it. */
const START_LENGTH = 24

/** ARGV: the beginning of a page that is not wanted. Output: position of the first key with a value, the value, milliseconds until it expires. */
const READ = `
for position, key in ipairs(KEYS) do
  local start = redis.pcall('GETRANGE', key, 0, ${START_LENGTH - 1})
  if type(start) == 'table' then start = 'not a text' end
  if start == ARGV[1] then return false end
  if start == 'not a text' then return { position, start, 0 } end
  if start ~= '' then return { position, redis.call('GET', key), redis.call('PTTL', key) } end
end
return false`

/** ARGV: the page, its life in milliseconds. */
const WRITE = `return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`

/** ARGV: the mark, its life. It replaces an earlier mark of the same length, and no page. */
const MARK = `
local held = redis.pcall('STRLEN', KEYS[1])
if type(held) == 'number' and held > #ARGV[1] then return false end
return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`

export function createSharedPages(options: SharedPagesOptions): SharedPages {
  const { redis, account, secrets, keepMs, breaker, emit } = options
  const seals = secrets.map(createPageSeal)
  const runOf = (script: string) => {
    const run = redisEval(redis)
    return (names: readonly string[], ...args: string[]): Promise<unknown> =>
      breaker(() => run(script, names, args)).catch(() => undefined)
  }
  const [runRead, runWrite, runMark] = [runOf(READ), runOf(WRITE), runOf(MARK)]
  const nameOf = (key: string): string => `stagepass:{${account}}:page:${key}`

  const put = async (run: typeof runWrite, [key]: CacheKeys, json: string): Promise<void> => {
    const name = nameOf(key)
    await run([name], seals[0]?.seal(name, `${keepMs} ${json}`) ?? '', String(keepMs))
  }
  const markFailed = (keys: CacheKeys): Promise<void> => put(runMark, keys, '')

  return {
    async read(keys, known) {
      const names = keys.map(nameOf)
      const reply = await runRead(names, known?.slice(0, START_LENGTH) ?? 'none')
      if (!Array.isArray(reply)) return undefined
      const [position, sealed, leftMs] = reply as [number, string, number] // what READ returns
      const opened = seals[position - 1]?.open(names[position - 1] ?? '', sealed)
      if (opened === undefined) emit?.({ type: 'cache.rejected' })
      // An instance with other settings may have written it.
      const [, keptMs, json = ''] = /^(\d+) (.*)$/s.exec(opened ?? '') ?? []
      return { sealed, json: json === '' ? undefined : json, ageMs: Math.max(0, Number(keptMs) - leftMs) }
    },
    async write(keys, json) {
      if (Buffer.byteLength(json) > MAX_PAGE_BYTES) return markFailed(keys)
      await put(runWrite, keys, json)
    },
    markFailed,
  }
}
