import type { RedisEval } from '@stagepass/budget'
import { type Product, PRODUCT_NAMES, PRODUCTS } from '@stagepass/contract'
import { type VirtualClock, virtualClock } from '@stagepass/testing/virtualClock'
import type { BffEvent } from '../events/events.js'
import { createBreaker } from '../redis/createBreaker.js'
import type { CheckedUsage } from '../gate/readGrant.js'
import { createUsage, REPORT_GRACE_MS, type Usage } from './createUsage.js'
import { createUsageStore } from './createUsageStore.js'

/*
 * A random day of pages, instances, clocks and a Redis, all from one seed, and a simple ledger. After each
 * step the two are compared.
 */

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const NOON = Date.parse('2030-01-01T12:00:00Z')
const USERS = ['ada', 'eve'] as const

/** Numbers from 0 up to 1, the same for the same seed. (mulberry32) */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * The part of Redis that the limiter's script and the script that reads sums need. The latter has no
 * arguments.
 */
function createFakeRedis(clock: VirtualClock, random: () => number) {
  const sums = new Map<string, { value: number; endsAt: number }>()
  const redis = { isLost: false, sums: () => live() }
  const live = (): ReadonlyMap<string, { value: number }> => {
    for (const [key, { endsAt }] of sums) if (endsAt <= clock.now()) sums.delete(key)
    return sums
  }
  const run: RedisEval = async (_script, keys, [points, seconds]) => {
    const [key = ''] = keys
    // A lost connection may have delivered the command.
    if (redis.isLost && random() < 0.7) throw new Error('lost')
    live()
    if (points === undefined) {
      if (redis.isLost) throw new Error('lost')
      return keys.map((name) => sums.get(name)?.value ?? null)
    }
    const sum = sums.get(key) ?? { value: 0, endsAt: clock.now() + Number(seconds) * 1_000 }
    sum.value += Number(points)
    sums.set(key, sum)
    if (redis.isLost) throw new Error('lost')
    return [sum.value, sum.endsAt - clock.now()]
  }
  return { redis, run }
}

interface Token {
  readonly user: string
  readonly product: Product
  /** The day by the clock of the instance. */
  readonly day: string
  readonly lifeMs: number
  readonly mintedAt: number
  readonly receipt: string
  /** How long the streams of an honest page are open. */
  readonly usesMs: number
  /** The minutes in the ledger: the token's lifetime, or the value of an accepted report. */
  costMs: number
  reports: number
}

interface Instance {
  readonly usage: Usage
  readonly wall: { stepMs: number }
}

export interface ModelResult {
  readonly minted: number
  readonly reported: number
  readonly refused: number
}

/** Runs one seed. Throws an error that describes the problem. */
export async function runUsageModel(seed: number): Promise<ModelResult> {
  const random = randomOf(seed)
  const pick = <TItem>(items: readonly TItem[]): TItem => items[Math.floor(random() * items.length)] as TItem
  const upTo = (max: number): number => Math.floor(random() * (max + 1))
  const clock = virtualClock()
  const startMs = clock.now()
  const isShared = random() < 0.8
  const limitMinutes = 5 + upTo(40)
  const grant: CheckedUsage = { limitMs: { stt: limitMinutes * MINUTE_MS, vt: 60 * MINUTE_MS } }
  const { redis, run } = createFakeRedis(clock, random)
  const tokens: Token[] = []
  const settled: Extract<BffEvent, { type: 'usage.settled' }>[] = []
  const counts = { minted: 0, reported: 0, refused: 0 }
  /** More may be counted than the pages know: a reply was lost, or an instance died. */
  let isInexact = false
  let hasStepped = false

  const start = (): Instance => {
    const wall = { stepMs: 0 }
    const platform = {
      clock,
      random,
      wallNow: () => NOON + clock.now() - startMs + wall.stepMs,
    }
    const breaker = createBreaker(clock, 500)
    const usage = createUsage({
      store: createUsageStore({ redis: isShared ? run : undefined, account: 'main', clock, breaker }),
      secret: 'the secret of all instances',
      userName: (user) => user,
      platform,
      emit(event) {
        if (event.type === 'usage.settled') settled.push(event)
      },
    })
    return { usage, wall }
  }
  const instances = Array.from({ length: isShared ? 1 + upTo(3) : 1 }, start)
  const dayOf = ({ wall }: Instance): string =>
    new Date(NOON + clock.now() - startMs + wall.stepMs).toISOString().slice(0, 10)

  const wrong = (problem: string): never => {
    throw new Error(`Seed ${seed}: ${problem}`)
  }

  async function mint(): Promise<void> {
    const instance = pick(instances)
    const user = pick(USERS)
    const product = pick(['stt', 'vt'] as const)
    const request = { requestId: 'r', user, product, minutes: 5 + upTo(10), usage: grant }
    const day = dayOf(instance)
    const reservation = await instance.usage.reserve(request).catch(() => undefined)
    if (!reservation) {
      if (redis.isLost) isInexact = true
      return void (counts.refused += 1)
    }
    const chance = random()
    if (chance < 0.1) {
      if (redis.isLost) isInexact = true
      return instance.usage.release(reservation)
    }
    if (chance < 0.15) {
      // Killed before the response. In memory the count is lost too, so this is only tested with Redis.
      isInexact = true
      if (isShared) {
        instance.usage.close()
        instances[instances.indexOf(instance)] = start()
      }
      return
    }
    const receipt = await instance.usage.keep(reservation)
    const lifeMs = reservation.reservedMs
    const { min } = PRODUCTS[product].ttlMinutes
    if (lifeMs < min * MINUTE_MS || lifeMs > request.minutes * MINUTE_MS)
      wrong(`a token lives ${lifeMs} ms of ${request.minutes} minutes`)
    counts.minted += 1
    const usesMs = upTo(lifeMs)
    tokens.push({
      user,
      product,
      day,
      lifeMs,
      mintedAt: clock.now(),
      receipt,
      usesMs,
      costMs: lifeMs,
      reports: 0,
    })
  }

  async function report(): Promise<void> {
    if (tokens.length === 0) return
    const token = pick(tokens)
    const { usage } = pick(instances)
    const ageMs = clock.now() - token.mintedAt
    const kind = pick(['honest', 'honest', 'honest', 'zero', 'too much', 'foreign', 'changed'] as const)
    const user = kind === 'foreign' ? USERS.find((other) => other !== token.user)! : token.user
    const receipt = kind === 'changed' ? token.receipt.replace(/\d/, (digit) => `${digit}1`) : token.receipt
    const claims = { zero: 0, 'too much': 10 * token.lifeMs } as Partial<Record<typeof kind, number>>
    const claimedMs = claims[kind] ?? Math.min(ageMs, token.usesMs)
    const wasLost = redis.isLost
    const counted = await usage.report(user, receipt, claimedMs).catch(() => undefined)
    if (wasLost) isInexact = true
    if (counted !== true) {
      // Redis may have been lost after the report was counted.
      if (wasLost) token.costMs = Math.min(token.costMs, claimedMs, ageMs)
      return
    }
    counts.reported += 1
    token.reports += 1
    if (token.reports > 1) wrong('a receipt counted twice')
    if (user !== token.user || receipt !== token.receipt) wrong(`a ${kind} receipt counted`)
    if (ageMs > token.lifeMs + REPORT_GRACE_MS) wrong('a late receipt counted')
    token.costMs = Math.min(claimedMs, ageMs, token.lifeMs)
  }

  /** The count must never be below the ledger, and never above the limit. */
  async function compare(): Promise<void> {
    if (isShared) {
      for (const [key, { value }] of redis.sums()) {
        const [sum, day, product, user] = key.split(':').slice(-4)
        if (sum !== 'taken') continue
        const limitMs = grant.limitMs[product as Product] ?? Infinity
        // After a loss a refund may be missing.
        if (!isInexact && value > limitMs) wrong(`${value} ms are counted of ${limitMs}`)
        const own = tokens.filter(
          (token) => token.user === user && token.product === product && token.day === day,
        )
        const costMs = own.reduce((total, token) => total + token.costMs, 0)
        if (costMs > limitMs) wrong(`tokens cost ${costMs} ms of ${limitMs}`)
        if (value < costMs - own.length * 2)
          wrong(`${value} ms are counted, and ${costMs} were used (${key})`)
        if (!isInexact && value > costMs + own.length * 2)
          wrong(`${value} ms are counted, and ${costMs} were used`)
      }
    } else if (!hasStepped) {
      for (const user of USERS) {
        const { usage } = await instances[0]!.usage.read(user, ['stt'], grant)
        const { used_ms = 0, reserved_ms = 0 } = usage.stt ?? {}
        const own = tokens.filter(
          (token) => token.user === user && token.product === 'stt' && token.day === dayOf(instances[0]!),
        )
        const costMs = own.reduce((total, token) => total + token.costMs, 0)
        if (used_ms + reserved_ms > limitMinutes * MINUTE_MS) wrong('more than the limit is counted')
        if (used_ms + reserved_ms < costMs - own.length) wrong('less is counted than was used')
      }
    }
  }

  const steps = 30 + upTo(30)
  for (let step = 0; step < steps; step++) {
    const chance = random()
    if (chance < 0.35) await mint()
    else if (chance < 0.65) await report()
    else if (chance < 0.9) await clock.advance(upTo(4 * MINUTE_MS))
    else if (chance < 0.93) {
      hasStepped = true
      pick(instances).wall.stepMs = (random() - 0.5) * 2 * pick([MINUTE_MS, 60 * MINUTE_MS, DAY_MS])
    } else if (isShared && chance < 0.97) redis.isLost = !redis.isLost
    else await Promise.all([mint(), mint(), report()])
    await compare()
  }
  redis.isLost = false
  for (const { wall } of instances) wall.stepMs = 0
  // Every token has ended, and every report is late.
  await clock.advance(DAY_MS)
  // The first call after an outage only detects its end.
  for (const { usage } of instances) await usage.read('ada', ['stt'], grant).catch(() => undefined)
  await clock.settle()
  for (const token of tokens)
    if (
      await pick(instances)
        .usage.report(token.user, token.receipt, 0)
        .catch(() => false)
    )
      wrong('late')
  if (tokens.some(({ receipt }, index) => tokens.findIndex((other) => other.receipt === receipt) !== index))
    wrong('two tokens have one receipt')
  if (settled.some(({ usedMs, reservedMs }) => usedMs < 0 || usedMs > reservedMs))
    wrong('a cost beyond the life')
  if (settled.length > tokens.length) wrong('a token is settled twice')
  for (const user of USERS) {
    const { usage } = await instances[0]!.usage.read(user, PRODUCT_NAMES, grant)
    for (const { used_ms, reserved_ms } of Object.values(usage))
      // An instance with a fast clock has counted tokens on the next day.
      if (!hasStepped && (used_ms !== 0 || reserved_ms !== 0)) wrong('the next day does not begin at zero')
  }
  await clock.advance(3 * DAY_MS)
  if (redis.sums().size > 0) wrong('a sum is still there after its day')
  for (const { usage } of instances) usage.close()
  return counts
}
