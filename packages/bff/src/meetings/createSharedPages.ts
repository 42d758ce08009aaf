import { type RedisClient, redisEval, type RedisEval } from '@stagepass/budget'
import type { EmitEvent } from '../context/events.js'
import type { Clock } from '../context/platform.js'
import type { Breaker } from '../gate/createBreaker.js'
import { createPageSeal, sealedLength } from '../crypto/createPageSeal.js'

/**
 * Names of one page: under the secret in use, and under the previous one, if there is one. Names are HMACs.
 */
export type PageNames = readonly string[]

interface SharedPage {
  /** As it is in Redis: it is different for each load. */
  readonly sealed: string
  /** `undefined`: the last load failed, or what is there cannot be used. */
  readonly json: string | undefined
  readonly ageMs: number
}

/**
 * Pages that all instances of an account share, sealed, in Redis. While Redis does not respond there are
 * none.
 */
export interface SharedPages {
  /** `undefined` if there is none, or only `known`: what was read before. */
  read(names: PageNames, known?: string): Promise<SharedPage | undefined>
  write(names: PageNames, json: string): Promise<void>
  /** Tells the instances that wait for the page to load it themselves. A page that is there stays. */
  markFailed(names: PageNames): Promise<void>
}

export interface SharedPagesOptions {
  readonly redis: RedisClient | RedisEval
  readonly account: string
  /** The one in use, then the previous one. */
  readonly secrets: readonly string[]
  /** How long a page is kept, and how old one may be that is used. */
  readonly keepMs: number
  readonly clock: Clock
  readonly breaker: Breaker
  readonly emit: EmitEvent
}

/** A longer page is not shared. 100 meetings with long notes have about 200 KiB. */
const MAX_PAGE_BYTES = 262_144

/** A longer value in Redis is none of ours. It is not read. The time of the page comes before its JSON. */
const MAX_SEALED_LENGTH = sealedLength(MAX_PAGE_BYTES + 32)

/** The beginning of a page in Redis, with its nonce: two pages differ in it. */
const START_LENGTH = 24

/**
 * Redis' clock is read a round trip late, and another node of a cluster may have a clock of its own. A page
 * from later than that is none.
 */
const CLOCK_SLACK_MS = 1_000

/**
 * ARGV: the beginning of a page that is not wanted. Output: Redis' time; position of the first key with a
 * value; the value, or what is wrong with it.
 */
const READ = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for position, key in ipairs(KEYS) do
  local start = redis.pcall('GETRANGE', key, 0, ${START_LENGTH - 1})
  if type(start) == 'table' then start = 'not a text' end
  if start == ARGV[1] then return { now } end
  if start == 'not a text' then return { now, position, start } end
  if start ~= '' then
    if redis.call('STRLEN', key) > ${MAX_SEALED_LENGTH} then return { now, position, start } end
    return { now, position, redis.call('GET', key) }
  end
end
return { now }`

/** ARGV: the page, its life in milliseconds. */
const WRITE = `return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`

/** ARGV: the mark, its life. It replaces an earlier mark of the same length, and no page. */
const MARK = `
local held = redis.pcall('STRLEN', KEYS[1])
if type(held) == 'number' and held > #ARGV[1] then return false end
return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`

const utf8 = new TextEncoder()

/**
 * A page holds the time at which it was sealed, by Redis' clock, so that a page of before that was put back
 * is known by its age: a credential may have been revoked since.
 */
export function createSharedPages(options: SharedPagesOptions): SharedPages {
  const { redis, account, secrets, keepMs, clock, breaker, emit } = options
  const seals = secrets.map(createPageSeal)
  /** Redis' time, and ours when it was read. */
  let read: { readonly redisAt: number; readonly at: number } | undefined
  const runOf = (script: string) => {
    const run = redisEval(redis)
    return (names: readonly string[], ...args: string[]): Promise<unknown> =>
      breaker(() => run(script, names, args)).catch(() => undefined)
  }
  const [runRead, runWrite, runMark] = [runOf(READ), runOf(WRITE), runOf(MARK)]
  const keyOf = (name: string): string => `stagepass:{${account}}:page:${name}`

  const put = async (run: typeof runWrite, [name = '']: PageNames, json: string): Promise<void> => {
    // A load reads before it writes. If Redis has given no time by now, it would take no page either.
    if (!read) return
    const sealedAt = Math.floor(read.redisAt + clock.now() - read.at)
    const key = keyOf(name)
    const page = `${sealedAt} ${keepMs} ${json}`
    await run([key], (await seals[0]?.seal(key, page)) ?? '', String(keepMs))
  }
  const markFailed = (names: PageNames): Promise<void> => put(runMark, names, '')

  /** `undefined` if it is none of ours, or older than it could be in Redis. */
  const open = async (
    sealed: string,
    position: number,
    key: string,
    now: number,
  ): Promise<Pick<SharedPage, 'json' | 'ageMs'> | undefined> => {
    const opened = await seals[position - 1]?.open(key, sealed)
    const [, sealedAt, keptMs, json = ''] = /^(\d+) (\d+) (.*)$/s.exec(opened ?? '') ?? []
    const ageMs = now - Number(sealedAt)
    if (!(ageMs >= -CLOCK_SLACK_MS && ageMs <= Number(keptMs) + CLOCK_SLACK_MS)) return undefined
    // An instance with other settings may keep pages for longer.
    const isUsable = json !== '' && ageMs <= keepMs
    return { json: isUsable ? json : undefined, ageMs: Math.max(0, ageMs) }
  }

  return {
    async read(names, known) {
      const keys = names.map(keyOf)
      const reply = await runRead(keys, known?.slice(0, START_LENGTH) ?? 'none')
      if (!Array.isArray(reply)) return undefined
      const [now, position, sealed] = reply as [number, number | undefined, string | undefined] // what READ returns
      read = { redisAt: now, at: clock.now() }
      if (position === undefined || sealed === undefined) return undefined
      const page = await open(sealed, position, keys[position - 1] ?? '', now)
      if (page === undefined) emit?.({ type: 'cache.rejected' })
      return { sealed, json: page?.json, ageMs: page?.ageMs ?? 0 }
    },
    async write(names, json) {
      if (utf8.encode(json).length > MAX_PAGE_BYTES) return markFailed(names)
      await put(runWrite, names, json)
    },
    markFailed,
  }
}
