import { type Product, PRODUCT_NAMES, PRODUCTS } from '@stagepass/contract'
import { type VirtualClock, virtualClock } from '@stagepass/testing/virtualClock'
import type { BffEvent } from '../telemetry/events.js'
import { createBreaker } from './createBreaker.js'
import { BffError } from '../base/BffError.js'
import type { CheckedUsage } from '../grant/readGrant.js'
import { createUsage, limitsOf, type Usage } from './createUsage.js'
import { createUsageStore } from './createUsageStore.js'
import { REPORT_GRACE_MS } from './usageRules.js'
import type { UsageStore } from './UsageStore.js'

/*
 * A random day of pages, instances, clocks and a network, all from one seed, and a simple ledger. After each
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

/** What becomes of one command. Each comes often while Redis is lost, and seldom otherwise. */
const FATES = ['not sent', 'reply lost', 'reply late', 'arrives late'] as const

/**
 * The network to the store of all instances. An instance that was killed sends nothing more, but what it has
 * sent may still arrive.
 */
function createNetwork(truth: UsageStore, clock: VirtualClock, random: () => number) {
  const network = {
    isLost: false,
    isPerfect: false,
    /** Replies that arrive later than a breaker waits. */
    slow: 0,
    connect: (isDead: () => boolean): UsageStore => ({
      reserve: (...args) => send(isDead, () => truth.reserve(...args)),
      settle: (...args) => send(isDead, () => truth.settle(...args)),
      cancel: (...args) => send(isDead, () => truth.cancel(...args)),
      read: (...args) => send(isDead, () => truth.read(...args)),
      readAccount: (...args) => send(isDead, () => truth.readAccount(...args)),
      drop: (...args) => send(isDead, () => truth.drop(...args)),
    }),
  }
  const later = async (): Promise<void> => {
    network.slow += 1
    await new Promise<void>((resolve) => clock.after(600 + random() * 3_000, resolve))
    network.slow -= 1
  }
  async function send<TValue>(isDead: () => boolean, call: () => Promise<TValue>): Promise<TValue> {
    if (isDead()) throw new Error('dead')
    if (network.isPerfect || random() > (network.isLost ? 0.98 : 0.1)) return call()
    const fate = FATES[Math.floor(random() * FATES.length)]
    if (fate === 'not sent') throw new Error('lost')
    if (fate === 'arrives late') await later()
    const value = await call()
    if (fate === 'reply lost') throw new Error('lost')
    if (fate === 'reply late') await later()
    return value
  }
  return network
}

interface Token {
  readonly user: string
  readonly product: Product
  /** The sum of the token: the day is by the clock of the instance. */
  readonly key: string
  readonly lifeMs: number
  readonly mintedAt: number
  readonly receipt: string
  /** How long the streams of an honest page are open. */
  readonly usesMs: number
  /** The minutes in the ledger: the token's lifetime, or the value of an accepted report. */
  cost: { least: number; most: number }
  /** The last report got no answer. */
  isUnsure: boolean
  /** A mint that is on its way has its report. An honest page has one at a time. */
  isNamed: boolean
  /** The report in the last mint that has replaced it. */
  claimedMs?: number
  /** The longest life of a token that has replaced it and that no page has got. */
  lostMs: number
  /** What may be reserved above the limit until it is settled. */
  readonly early: Part[]
  /** The reported time that was accepted. */
  acceptedMs?: number
  reports: number
}

/** Milliseconds of a sum. */
interface Part {
  readonly key: string
  readonly ms: number
}

interface Instance {
  readonly usage: Usage
  readonly wall: { stepMs: number }
  /** What was reserved for no page: refunded at some time, unless the instance is killed. */
  readonly limbo: Part[]
  /** What it has reserved above the limit for no page. */
  readonly released: Part[]
  isDead: boolean
}

export interface ModelResult {
  readonly minted: number
  readonly reported: number
  readonly refused: number
  /** Mints and reports without an answer. */
  readonly unanswered: number
  readonly killed: number
  readonly replaced: number
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
  const grant: CheckedUsage = {
    dayMs: { stt: limitMinutes * MINUTE_MS, vt: 60 * MINUTE_MS },
    monthMs: {},
  }
  const truth = createUsageStore({ redis: undefined, account: 'main', clock })
  const network = createNetwork(truth, clock, random)
  network.isPerfect = !isShared
  const tokens: Token[] = []
  const keys = new Set<string>()
  /** What killed instances may have left in the sums. */
  const orphans: Part[] = []
  /** What may be reserved above the limit, until the replaced token is settled. */
  const early = new Set<Part>()
  const settled: Extract<BffEvent, { type: 'usage.settled' }>[] = []
  const counts = { minted: 0, reported: 0, refused: 0, unanswered: 0, killed: 0, replaced: 0 }
  /** Tokens that no page has got. */
  let lost = 0
  let hasStepped = false

  const start = (): Instance => {
    const wall = { stepMs: 0 }
    const platform = { clock, random, wallNow: () => NOON + clock.now() - startMs + wall.stepMs }
    const instance: Instance = {
      isDead: false,
      wall,
      limbo: [],
      released: [],
      usage: createUsage({
        store: network.connect(() => instance.isDead),
        breaker: createBreaker(clock, 500),
        secret: 'the secret of all instances',
        userName: ({ user }) => (user === '' ? 'main' : user),
        platform,
        emit(event) {
          if (event.type === 'usage.settled') settled.push(event)
        },
      }),
    }
    return instance
  }
  const instances = Array.from({ length: isShared ? 1 + upTo(3) : 1 }, start)
  const kill = (instance: Instance): void => {
    if (!isShared || instance.isDead) return
    counts.killed += 1
    instance.isDead = true
    // Its timers end with it. What it still sends is not sent.
    void instance.usage.close()
    orphans.push(...instance.limbo)
    instances[instances.indexOf(instance)] = start()
  }
  const dayOf = ({ wall }: Instance): string =>
    new Date(NOON + clock.now() - startMs + wall.stepMs).toISOString().slice(0, 10)

  const wrong = (problem: string): never => {
    throw new Error(`Seed ${seed}: ${problem}`)
  }
  const sumOf = (parts: Iterable<Part>, key: string): number =>
    [...parts].reduce((total, part) => total + (part.key === key ? part.ms : 0), 0)
  const costOf = (key: string, bound: keyof Token['cost']): number =>
    tokens.reduce((total, token) => total + (token.key === key ? token.cost[bound] : 0), 0)

  /** Runs work, and the clock while a reply is late. */
  async function act(...work: readonly Promise<unknown>[]): Promise<void> {
    const all = Promise.all(work).then(() => true)
    const next = (): Promise<boolean> => new Promise((resolve) => setImmediate(resolve, false))
    while (!(await Promise.race([all, next()]))) if (network.slow > 0) await clock.advance(100)
  }

  async function mint(isAlone: boolean): Promise<void> {
    const instance = pick(instances)
    const user = pick(USERS)
    const product = pick(['stt', 'vt'] as const)
    const minutes = 5 + upTo(10)
    const key = `${dayOf(instance)}:${product}:main:${user}`
    keys.add(key)
    const old = tokens.findLast((token) => token.user === user && token.product === product)
    const named = old && !old.isNamed && random() < 0.5 ? old : undefined
    const isHonest = random() < 0.7
    const claimedMs = named && isHonest ? Math.floor(Math.min(clock.now() - named.mintedAt, named.usesMs)) : 0
    const part = { key, ms: named?.key === key ? Math.max(named.lifeMs, named.lostMs) : 0 }
    early.add(part)
    if (named) named.isNamed = true
    await mintInto({ instance, user, product, minutes, key, isAlone, named, claimedMs, part })
    if (named) named.isNamed = false
  }

  interface Attempt {
    readonly instance: Instance
    readonly user: string
    readonly product: 'stt' | 'vt'
    readonly minutes: number
    readonly key: string
    readonly isAlone: boolean
    /** The token that the new one replaces. */
    readonly named: Token | undefined
    readonly claimedMs: number
    readonly part: Part
  }

  async function mintInto(mint: Attempt): Promise<void> {
    const { instance, user, product, minutes, key, isAlone, named, claimedMs, part } = mint
    const attempt = { key, ms: minutes * MINUTE_MS }
    instance.limbo.push(attempt)
    const end = (): void => void instance.limbo.splice(instance.limbo.indexOf(attempt), 1)
    // While the command is on its way.
    if (random() < 0.03) kill(instance)
    let reservation: Awaited<ReturnType<Usage['reserve']>>
    try {
      const report = named && { receipt: named.receipt, used_ms: claimedMs }
      const replaced = report && (await instance.usage.readReplaced({ user }, product, report))
      if (named && !replaced) wrong('a receipt was not read')
      const limits = limitsOf({ usage: grant, accountUsage: undefined }, product)
      const wish = { requestId: 'r', user, product, minutes, limits, replaced }
      reservation = await instance.usage.reserve(wish)
    } catch (error) {
      if (error instanceof BffError && error.code === 'USAGE_EXHAUSTED') {
        end()
        early.delete(part)
        counts.refused += 1
        // Another instance may not have refunded everything yet.
        const others = instances.filter((other) => other !== instance).flatMap(({ limbo }) => limbo)
        const most = costOf(key, 'most') + sumOf(orphans, key) + sumOf(others, key)
        const leftMs = (grant.dayMs[product] ?? Infinity) - most + refundOf(key, named, claimedMs)
        const leastMs = (PRODUCTS[product].ttlMinutes.min + 1) * MINUTE_MS
        if (isAlone && leftMs >= leastMs) wrong(`refused with ${leftMs} ms left`)
      } else {
        counts.unanswered += 1
        instance.released.push(part)
      }
      return
    }
    // It stays in the list until it is refunded.
    const chance = random()
    const release = (): Promise<void> => {
      instance.released.push(part)
      return instance.usage.release(reservation!)
    }
    if (chance < 0.1) return release()
    if (isShared && chance < 0.13) return kill(instance)
    const receipt = await instance.usage.keep(reservation!)
    // The client has closed the connection.
    if (chance < 0.2) return release()
    if (named) {
      const report = { receipt: named.receipt, used_ms: claimedMs }
      const replaced = await instance.usage.readReplaced({ user }, product, report)
      await instance.usage.replace(replaced!, reservation)
      counts.replaced += 1
      replace(named, claimedMs, part)
    } else early.delete(part)
    if (instance.isDead) return
    end()
    // Its response is lost.
    if (chance < 0.25) {
      lost += 1
      if (named) named.lostMs = Math.max(named.lostMs, reservation!.reservedMs)
      return void orphans.push({ key, ms: reservation!.reservedMs })
    }
    const lifeMs = reservation!.reservedMs
    if (lifeMs < PRODUCTS[product].ttlMinutes.min * MINUTE_MS || lifeMs > minutes * MINUTE_MS)
      wrong(`a token lives ${lifeMs} ms of ${minutes} minutes`)
    counts.minted += 1
    const cost = { least: lifeMs, most: lifeMs }
    const known = { user, product, key, lifeMs, mintedAt: clock.now(), receipt }
    tokens.push({
      ...known,
      usesMs: upTo(lifeMs),
      cost,
      isUnsure: false,
      isNamed: false,
      lostMs: 0,
      early: [],
      reports: 0,
    })
  }

  /** The least that is left for the next token, because the named one is replaced. */
  function refundOf(key: string, named: Token | undefined, claimedMs: number): number {
    if (!named || named.key !== key || named.reports > 0 || named.isUnsure) return 0
    const mostAgeMs = clock.now() - named.mintedAt + 4_000
    if (mostAgeMs > named.lifeMs + REPORT_GRACE_MS) return 0
    return named.lifeMs - Math.min(claimedMs, mostAgeMs, named.lifeMs)
  }

  /** A mint has replaced a token. Its report may not have arrived yet. */
  function replace(token: Token, claimedMs: number, part: Part): void {
    const ageMs = clock.now() - token.mintedAt
    const leastMs = Math.min(claimedMs, ageMs, token.lifeMs)
    // The mint has replaced the token of the lost response. The model does not see when that one is settled.
    if (token.lostMs > 0) return
    // A report that came meanwhile may refund less than the mint has taken.
    if (token.reports > 0 && token.acceptedMs !== claimedMs) return
    if (token.reports > 0 || ageMs > token.lifeMs + REPORT_GRACE_MS + 4_000) return void early.delete(part)
    token.early.push(part)
    token.cost.least = Math.min(token.cost.least, leastMs)
    token.claimedMs = claimedMs
    token.isUnsure = true
    if (network.isPerfect && ageMs <= token.lifeMs + REPORT_GRACE_MS) accept(token, claimedMs)
  }

  /** A token is settled with its report. */
  function accept(token: Token, claimedMs: number): void {
    // The mint ended a moment after the store had opened the reservation, and so may the report.
    const mostMs = Math.min(claimedMs, clock.now() - token.mintedAt + 4_000, token.lifeMs)
    token.reports += 1
    token.acceptedMs = claimedMs
    token.cost = { least: token.cost.least, most: mostMs }
    token.isUnsure = false
    if (token.claimedMs === claimedMs) for (const part of token.early) early.delete(part)
  }

  async function report(token = pick(tokens)): Promise<void> {
    if (!token) return
    const { usage } = pick(instances)
    const { lifeMs } = token
    const ageMs = (): number => clock.now() - token.mintedAt
    const kind = pick(['honest', 'honest', 'honest', 'zero', 'too much', 'foreign', 'changed'] as const)
    const user = kind === 'foreign' ? USERS.find((other) => other !== token.user)! : token.user
    const receipt = kind === 'changed' ? token.receipt.replace(/\d/, (digit) => `${digit}1`) : token.receipt
    const claims = { zero: 0, 'too much': 10 * lifeMs } as Partial<Record<typeof kind, number>>
    const claimedMs = claims[kind] ?? Math.min(ageMs(), token.usesMs)
    const isOwn = user === token.user && receipt === token.receipt
    // The store counts whole milliseconds.
    const leastMs = Math.floor(Math.min(claimedMs, ageMs(), lifeMs))
    const counted = await usage.report({ user }, receipt, claimedMs).catch(() => undefined)
    if (counted === undefined) {
      counts.unanswered += 1
      if (!isOwn || token.reports > 0) return
      token.cost.least = Math.min(token.cost.least, leastMs)
      token.isUnsure = true
    } else if (counted) {
      if (!isOwn) wrong(`a ${kind} receipt counted`)
      // The same report again has the result of the first.
      if (token.reports > 0 && claimedMs !== token.acceptedMs) wrong('a receipt counted twice')
      if (token.reports > 0) return
      counts.reported += 1
      if (ageMs() > lifeMs + REPORT_GRACE_MS + 4_000) wrong('a late receipt counted')
      // Without an answer to the first, it may have been counted then.
      token.cost.least = Math.min(token.cost.least, leastMs)
      accept(token, claimedMs)
    }
  }

  /** The count must never be below the ledger, and never above the limit. */
  async function compare(isQuiet: boolean): Promise<void> {
    const names = [...keys]
    const sums = await truth.read(names)
    for (const [at, key] of names.entries()) {
      const { taken = 0, used = 0 } = sums[at] ?? {}
      const limitMs = grant.dayMs[key.split(':')[1] as Product] ?? Infinity
      const least = costOf(key, 'least')
      const most = costOf(key, 'most') + sumOf(orphans, key)
      if (taken > limitMs + sumOf(early, key)) wrong(`${taken} ms are counted of ${limitMs}`)
      if (taken < least) wrong(`${taken} ms are counted, and ${least} were used (${key})`)
      if (used > taken) wrong(`${used} ms are used of ${taken} (${key})`)
      if (isQuiet && taken > most) wrong(`${taken} ms are counted, and ${most} were used (${key})`)
    }
  }

  /** All is well for some seconds: then what no page received costs nothing. */
  async function heal(): Promise<void> {
    const isPerfect = network.isPerfect
    network.isPerfect = true
    // Replies that are on their way, and then the attempts of the instances.
    for (let turn = 0; turn < 5; turn++) {
      await clock.advance(2_000)
      for (const { usage } of instances)
        await act(usage.read({ user: 'ada' }, ['stt'], grant).catch(() => undefined))
    }
    for (const { limbo } of instances) limbo.length = 0
    for (const { released } of instances) for (const part of released.splice(0)) early.delete(part)
    for (const token of tokens.filter(({ isUnsure }) => isUnsure)) {
      // The page repeats its report.
      const isEarly = clock.now() - token.mintedAt <= token.lifeMs + REPORT_GRACE_MS
      const claimedMs = token.claimedMs ?? 0
      if (await pick(instances).usage.report(token, token.receipt, claimedMs)) {
        token.cost.least = Math.min(token.cost.least, claimedMs)
        accept(token, claimedMs)
      } else if (isEarly) token.cost.most = Math.max(token.cost.least, token.lifeMs)
      token.isUnsure = false
    }
    await compare(true)
    network.isPerfect = isPerfect
  }

  const steps = 30 + upTo(30)
  for (let step = 0; step < steps; step++) {
    const chance = random()
    if (chance < 0.35) await act(mint(true))
    else if (chance < 0.6) await act(report())
    else if (chance < 0.85) await clock.advance(upTo(4 * MINUTE_MS))
    else if (chance < 0.88) {
      hasStepped = true
      pick(instances).wall.stepMs = (random() - 0.5) * 2 * pick([MINUTE_MS, 60 * MINUTE_MS, DAY_MS])
    } else if (isShared && chance < 0.92) network.isLost = !network.isLost
    else if (chance < 0.96) await heal()
    else await act(mint(false), mint(false), report())
    await compare(false)
  }
  await heal()
  for (const { wall } of instances) wall.stepMs = 0
  // Every token has ended, and every report is late.
  network.isPerfect = true
  await clock.advance(DAY_MS)
  for (const token of tokens) if (await pick(instances).usage.report(token, token.receipt, 0)) wrong('late')
  if (tokens.some(({ receipt }, index) => tokens.findIndex((other) => other.receipt === receipt) !== index))
    wrong('two tokens have one receipt')
  if (settled.some(({ usedMs, reservedMs }) => usedMs < 0 || usedMs > reservedMs))
    wrong('a cost beyond the life')
  if (settled.length > tokens.length + lost) wrong('a token is settled twice')
  for (const user of USERS) {
    const { usage } = await instances[0]!.usage.read({ user }, PRODUCT_NAMES, grant)
    for (const { used_ms, reserved_ms } of Object.values(usage))
      // An instance with a fast clock has counted tokens on the next day.
      if (!hasStepped && (used_ms !== 0 || reserved_ms !== 0)) wrong('the next day does not begin at zero')
  }
  await clock.advance(3 * DAY_MS)
  for (const { taken } of await truth.read([...keys]))
    if (taken > 0) wrong('a sum is still there after its day')
  for (const { usage } of instances) await usage.close()
  return counts
}
