import { clientOf } from '../client/createVoiceClient.js'
import type { HandshakeErrorCode } from '@stagepass/contract'
import { QueryClient } from '@tanstack/react-query'
import * as fc from 'fast-check'
import type { Identity } from '../identity/Client.js'
import type { QueryKey } from '../query/queryKey.js'
import { headOptions } from '../meetings/headOptions.js'
import type { VirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { sourceOf } from '../token/sourceOf.test.kit.js'
import type { ResendSettings, StreamSettings, StreamSetup } from './machine/settings.js'
import { streamsOf } from './streamsOf.js'
import { meetingsOptions } from '../meetings/meetingsOptions.js'

/*
 * A real stream, with its token source, its registry and a list of meetings, against the scripted service, in
 * virtual time. Actions are random; after each action the invariants must hold. All sent, received and listed
 * data names its user (`tagOf`).
 */

interface Scenario {
  readonly random: number
  readonly ttlMs: number
  readonly responseMs: number
  readonly cutAtExpiry: boolean
  readonly maxSessions: number
  readonly settings: StreamSettings
}

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  random: fc.double({ min: 0.02, max: 0.999, noNaN: true }),
  ttlMs: fc.constantFrom(40_000, 5 * 60_000, 180 * 60_000),
  responseMs: fc.constantFrom(0, 10, 3_000),
  cutAtExpiry: fc.boolean(),
  maxSessions: fc.constantFrom(1, 2, Infinity),
  settings: fc.record({
    rollover: fc.constantFrom('on-close' as const, 'seamless' as const),
    resend: fc.constantFrom<false | ResendSettings>(false, {}, { keepMs: 1_000 }),
    setup: fc.constant<StreamSetup>({
      isFinal: (data) => (data === FINAL || data === GROWING ? data === FINAL : undefined),
    }),
    connectTimeoutMs: fc.constantFrom(500, 10_000),
    queue: fc.record({
      maxBytes: fc.constantFrom(60, 2 ** 20),
      maxAgeMs: fc.constantFrom(1_000, 6_000),
      drop: fc.constantFrom('oldest' as const, 'newest' as const),
    }),
  }),
})

/** A final text of the service. */
const FINAL = 'final'
/** A text that may still grow. */
const GROWING = 'growing'

/** A frame of speech, or of quiet, of this identity. */
function soundOf({ generation }: Identity, isSpeech: boolean): ArrayBuffer {
  const level = isSpeech ? 4_000 + generation : 0
  return Int16Array.from({ length: 320 }, (_, at) => (at % 2 ? -level : level)).buffer
}

/** True if a frame of speech is of this identity. */
function isSoundOf(data: ArrayBuffer | Uint8Array, { generation }: Identity): boolean {
  const [level = 0] = new Int16Array(new Uint8Array(data instanceof ArrayBuffer ? data : data.slice()).buffer)
  return level === 0 || level === 4_000 + generation
}

/** The user and the generation: a user who returns has another tag. */
const tagOf = ({ user, generation }: Identity): string => `${String(user)}.${generation}`

const foreign = (what: string, tag: string, present: string): Error =>
  new Error(`${what} of ${tag} reaches ${present}`)

/** The model: the actions on the stream, and its observed behaviour. */
class Run {
  readonly voice: VirtualVoice
  readonly seamless: boolean
  readonly leaves: (() => void)[] = []
  sends = 0
  hasSound = false
  mayReorder = false
  /** Real times of the actions that may cause an earlier attempt. */
  readonly urges: number[] = [0]
  /** The states of the stream at the changes of user. */
  readonly changedWhile = new Set<string>()
  readonly queryClient = new QueryClient({ defaultOptions: { queries: { gcTime: Infinity } } })
  private heard: Error | undefined
  private begunAt = 0
  private seenHandshakes = 0
  private seenEvents = 0
  private lastGeneration = 0
  private readonly settings: StreamSettings

  constructor(scenario: Scenario) {
    this.voice = createVirtualVoice({
      ttlMs: scenario.ttlMs,
      responseMs: scenario.responseMs,
      random: () => scenario.random,
    })
    this.voice.service.meetings = (identity) => [{ id: tagOf(identity) }]
    this.voice.service.cutAtExpiry = scenario.cutAtExpiry
    this.voice.service.maxSessions = scenario.maxSessions
    this.seamless = scenario.settings.rollover === 'seamless'
    this.settings = scenario.settings
  }

  get streams() {
    return streamsOf(clientOf(this.voice.client))
  }

  get status() {
    return this.streams.snapshot('stt', 'default').status
  }

  /** The stream may start again, and then has no refusals. */
  begin(): void {
    this.begunAt = this.voice.service.attempts.length
    this.urge()
  }

  urge(): void {
    this.urges.push(this.voice.now())
  }

  get tag() {
    return tagOf(clientOf(this.voice.client).identity)
  }

  mount(): void {
    this.begin()
    this.join()
  }

  /** A component uses the stream, and gets its messages. */
  private join(): void {
    const leave = this.streams.of('stt', 'default').join({ enabled: true, settings: () => this.settings })
    const unsubscribe = this.streams.of('stt', 'default').subscribe((data) => {
      const words = data as string
      if (words.startsWith('for ') && words !== `for ${this.tag}`)
        this.heard ??= foreign('A message', words, this.tag)
    })
    this.leaves.push(() => {
      unsubscribe()
      leave()
    })
  }

  send(): void {
    const { user } = this.voice.client
    const result = this.streams.of('stt', 'default').send(`${this.tag}:${this.sends + 1}`)
    if (user !== null) this.sends += 1
    else if (result !== 'dropped') throw new Error('words of nobody are kept')
  }

  /** Says so many frames, with the time that they take. */
  async say(frames: number): Promise<void> {
    this.hasSound = true
    for (let index = 0; index < frames; index += 1) {
      // Five at a time, as from a busy page.
      if (index % 5 === 0) await this.voice.advance(100)
      const { identity } = clientOf(this.voice.client)
      const result = this.streams.of('stt', 'default').send(soundOf(identity, index % 30 < 20))
      if (this.voice.client.user === null && result !== 'dropped')
        throw new Error('sound is kept although no user is signed in')
    }
  }

  /** Each connection that was ever open tries to reach the page. */
  speak(): void {
    for (const connection of this.voice.service.connections) {
      connection.send(`for ${tagOf(connection.identity)}`)
      connection.send(GROWING)
      connection.send(FINAL)
    }
  }

  list(): void {
    const { client } = this.voice
    void this.queryClient.prefetchInfiniteQuery(meetingsOptions(client))
    if (client.user !== null)
      this.queryClient.fetchQuery(headOptions(clientOf(client), {}, this.queryClient)).catch(() => {})
  }

  /**
   * Does what a page does in the commit that changes its user: its components leave the old streams, and join
   * the new ones.
   */
  change(act: () => void): void {
    const before = this.tag
    const doing = this.doing()
    const given = this.given()
    act()
    if (this.tag === before) return
    if (this.given() > given) throw foreign('A queued message', before, this.tag)
    this.changedWhile.add(doing)
    this.begin()
    const { error } = this.streams.snapshot('stt', 'default')
    const token = sourceOf(this.voice.client, 'stt').state()
    if (error ?? token.error) throw foreign('An error', before, this.tag)
    if (token.live) throw foreign('A token', before, this.tag)
    const leaves = this.leaves.splice(0)
    for (const leave of leaves) leave()
    for (let count = leaves.length; count > 0; count -= 1) this.join()
  }

  /** Number of messages that were passed to sockets. */
  private given(): number {
    return this.voice.service.connections.reduce(
      (sum, { received, stuck }) => sum + received.length + stuck.length,
      0,
    )
  }

  /** The state of the stream, in more detail than its status. */
  doing(): string {
    const { service, events } = this.voice
    if (this.voice.client.user === null) return 'signed out'
    if (!clientOf(this.voice.client).platform.isOnline()) return 'offline'
    if (service.requests.some(({ path, isDone }) => path === '/handshake-check' && !isDone)) return 'checking'
    const last = events.findLast(({ type }) => type.startsWith('stream.roll'))
    if (this.status === 'open' && last?.type === 'stream.rolling_over') return 'rolling over'
    const open = service.connections.filter(({ status }) => status === 'open')
    return this.status === 'open' && open.length > 1 ? 'draining' : this.status
  }

  arrived(): number[] {
    return this.voice.service.connections.flatMap(({ received }) =>
      received.flatMap((data) => (typeof data === 'string' ? Number(data.split(':')[1]) : [])),
    )
  }

  /** Throws if an invariant is broken. */
  check(): void {
    this.checkSockets()
    this.checkTokens()
    this.checkHandshakes()
    this.checkGenerations()
    this.checkArrivals()
    this.checkUsers()
  }

  /** Checks that no data of one user has reached another. */
  private checkUsers(): void {
    const { service, client } = this.voice
    if (this.heard) throw this.heard
    for (const { received, identity } of service.connections) {
      const words = received.find((data) =>
        typeof data === 'string'
          ? !data.startsWith(`${tagOf(identity)}:`)
          : !isSoundOf(data as ArrayBuffer, identity),
      )
      if (words !== undefined)
        throw foreign('A message', typeof words === 'string' ? words : 'sound', tagOf(identity))
    }
    for (const { status, identity } of service.attempts) {
      if (status !== 'closed' && tagOf(identity) !== this.tag)
        throw foreign('A socket', tagOf(identity), this.tag)
    }
    const { live, error } = sourceOf(client, 'stt').state()
    const owner = service.ownerOf(live?.token.value ?? '')
    if (owner && tagOf(owner) !== this.tag) throw foreign('A token', tagOf(owner), this.tag)
    const asked = service.requests.some(({ identity }) => tagOf(identity) === this.tag)
    if (error && !asked) throw foreign('An error', 'another', this.tag)
    for (const { queryKey, state } of this.queryClient.getQueryCache().getAll()) {
      const tag = tagOf((queryKey as QueryKey<object>)[1].identity)
      const rows = JSON.stringify(state.data ?? null)
      const ids = [...rows.matchAll(/"id":"([^"]*)"/g)].map(([, id]) => id)
      if (ids.some((id) => id !== tag)) throw foreign('A row', rows, tag)
    }
    const shown = this.queryClient.getQueryData(meetingsOptions(client).queryKey)
    if (shown?.pages.some(({ meetings }) => meetings.some(({ id }) => id !== this.tag)))
      throw foreign('A row', JSON.stringify(shown), this.tag)
  }

  private checkSockets(): void {
    const live = this.voice.service.attempts.filter(({ status }) => status !== 'closed')
    const most = this.seamless || this.settings.resend ? 2 : 1
    if (live.length > most) throw new Error(`${live.length} sockets at once`)
    if (live.length > 0 && ['idle', 'closed', 'failed'].includes(this.status)) {
      throw new Error(`a socket outlives the stream, which is ${this.status}`)
    }
  }

  private checkTokens(): void {
    const refused = new Set<number>()
    for (const { token, refusedWith } of this.voice.service.attempts.slice(this.begunAt)) {
      if (refused.has(token)) throw new Error(`token ${token} is used again after it was refused`)
      if (refusedWith === 'unauthorized') refused.add(token)
    }
  }

  private checkHandshakes(): void {
    const { handshakes } = this.voice.service
    for (const { token, at, expiresAt } of handshakes.slice(this.seenHandshakes)) {
      if (expiresAt <= at)
        throw new Error(`a handshake on token ${token}, ${at - expiresAt} ms after its expiry`)
      const recent = handshakes.filter((other) => other.at <= at && other.at > at - 2_000).length
      const urged = this.urges.filter((urge) => urge <= at && urge > at - 2_000).length
      // Each such action allows a first attempt, and a second one with a fresh token.
      if (recent > 8 + 2 * urged) throw new Error(`${recent} handshakes in 2 s, urged ${urged} times`)
    }
    this.seenHandshakes = handshakes.length
  }

  private checkGenerations(): void {
    const { events } = this.voice
    for (const event of events.slice(this.seenEvents)) {
      // A stream that was forgotten starts again.
      if (event.type === 'stream.released' || event.type === 'client.reset') this.lastGeneration = 0
      if (event.type === 'stream.connecting' && event.generation <= this.lastGeneration) {
        throw new Error(`connection ${event.generation} after ${this.lastGeneration}`)
      }
      if (event.type === 'stream.connecting') this.lastGeneration = event.generation
    }
    this.seenEvents = events.length
  }

  private checkArrivals(): void {
    const arrived = this.arrived()
    if (new Set(arrived).size < arrived.length) throw new Error(`sent twice: ${arrived.join(' ')}`)
    if (!this.mayReorder && arrived.some((id, index) => id < (arrived[index - 1] ?? 0))) {
      throw new Error(`out of order: ${arrived.join(' ')}`)
    }
  }

  /** All users leave: nothing may stay open, and each send must be either delivered or counted as dropped. */
  async end(): Promise<void> {
    for (const leave of this.leaves.splice(0)) leave()
    await this.voice.advance(1_000)
    this.queryClient.clear()
    // A request of a list may still run.
    await this.voice.advance(12_000)
    if (this.voice.timers > 0) throw new Error(`${this.voice.timers} timers left`)
    if (this.voice.service.attempts.some(({ status }) => status !== 'closed'))
      throw new Error('a socket left')
    const dropped = this.voice.events.reduce(
      (sum, event) => sum + (event.type === 'stream.dropped' ? event.count : 0),
      0,
    )
    const stuck = this.voice.service.connections.reduce((sum, connection) => sum + connection.stuck.length, 0)
    const arrived = this.arrived().length
    // Messages in the buffer of a stalled connection count as dropped only if the stream saw it.
    const missing = this.sends - arrived - dropped
    // Frames of sound count as dropped too.
    if (this.hasSound) return
    if (missing < 0 || missing > stuck) {
      throw new Error(
        `of ${this.sends} sends ${arrived} arrived and ${dropped} were counted as dropped, ${stuck} stuck`,
      )
    }
  }
}

type Act = (run: Run) => void | Promise<void>

/** One action. */
class Happening implements fc.AsyncCommand<object, Run> {
  private readonly name: string
  private readonly act: Act

  constructor(name: string, act: Act) {
    this.name = name
    this.act = act
  }

  check(): boolean {
    return true
  }

  async run(_model: object, run: Run): Promise<void> {
    await this.act(run)
    run.check()
  }

  toString(): string {
    return this.name
  }
}

const happening = (name: string, act: Act): fc.Arbitrary<Happening> => fc.constant(new Happening(name, act))

const newest = (run: Run) => run.voice.service.connections.findLast(({ status }) => status === 'open')

const CODES: HandshakeErrorCode[] = ['unauthorized', 'concurrency_limit_exceeded', 'invalid_api_key']

/** Lets time pass until the stream is in this state, with a limit. */
async function until(run: Run, doing: string): Promise<void> {
  for (let left = 600; left > 0 && run.doing() !== doing; left -= 1) await run.voice.advance(5)
}

/** Brings the stream to a state that random actions rarely reach at a change of user. */
const APPROACHES: Readonly<Record<string, Act>> = {
  async 'once open'(run) {
    run.voice.setOnline(true)
    run.begin()
    if (run.voice.client.user === null) run.change(() => run.voice.client.setUser('ada'))
    if (run.leaves.length === 0) run.mount()
    run.streams.of('stt', 'default').open()
    await run.voice.advance(60)
  },
  async 'while rolling over'(run) {
    await APPROACHES['once open']?.(run)
    sourceOf(run.voice.client, 'stt')
      .renew()
      .catch(() => {})
    await until(run, 'rolling over')
  },
  async 'while draining'(run) {
    await APPROACHES['while rolling over']?.(run)
    await until(run, 'draining')
  },
  async 'while checking'(run) {
    await APPROACHES['once open']?.(run)
    run.voice.service.refuse('concurrency_limit_exceeded', { times: 3 })
    newest(run)?.drop()
    await until(run, 'checking')
  },
  async 'after a failure'(run) {
    await APPROACHES['once open']?.(run)
    run.voice.service.refuse('invalid_api_key', { by: 'close' })
    newest(run)?.drop()
    await run.voice.advance(1_000)
  },
}

/** The most frequent actions. */
const sends: fc.Arbitrary<Happening> = fc.integer({ min: 1, max: 6 }).map(
  (count) =>
    new Happening(`send ${count}`, (run) => {
      for (let index = 0; index < count; index += 1) run.send()
    }),
)

const timePasses: fc.Arbitrary<Happening> = fc
  .constantFrom(1, 12, 100, 700, 3_000, 15_000, 60_000, 6 * 60_000)
  .map(
    (ms) =>
      new Happening(`${ms} ms pass`, async (run) => {
        // In steps, so that the invariants are checked in between.
        for (let left = ms; left > 0; left -= 5_000) {
          await run.voice.advance(Math.min(left, 5_000))
          run.check()
        }
      }),
  )

const happenings: fc.Arbitrary<Happening>[] = [
  ...Array.from({ length: 8 }, () => timePasses),
  ...Array.from({ length: 5 }, () => sends),
  ...[50, 200].map((frames) => happening(`say ${frames} frames`, (run) => run.say(frames))),
  happening('mount', (run) => run.mount()),
  happening('mount in StrictMode', (run) => {
    run.mount()
    run.leaves.pop()?.()
    run.mount()
  }),
  happening('unmount', (run) => run.leaves.shift()?.()),
  happening('unmount all for good', async (run) => {
    for (const leave of run.leaves.splice(0)) leave()
    await run.voice.advance(1_000)
  }),
  happening('the server closes', (run) => newest(run)?.close(1001, 'going away')),
  happening('the network cuts', (run) => newest(run)?.drop()),
  happening('the server says unauthorized', (run) =>
    newest(run)?.send('{"type":"error","code":"unauthorized"}'),
  ),
  happening('the peer stops reading', (run) => {
    run.mayReorder = true
    newest(run)?.stall()
  }),
  happening('the peer reads on', (run) => newest(run)?.drain()),
  fc
    .tuple(
      fc.constantFrom(...CODES),
      fc.constantFrom('status' as const, 'frame' as const, 'close' as const),
      fc.integer({ min: 1, max: 4 }),
    )
    .map(
      ([code, by, times]) =>
        new Happening(`refuse ${times} by ${by}: ${code}`, (run) =>
          run.voice.service.refuse(code, { by, times }),
        ),
    ),
  happening('hang', (run) => run.voice.service.hang()),
  fc
    .integer({ min: 1, max: 30 })
    .map(
      (times) =>
        new Happening(`accept and close ${times}`, (run) => run.voice.service.acceptThenClose({ times })),
    ),
  happening('502 once', (run) => run.voice.service.failToken('CACHE_UNAVAILABLE')),
  happening('balance exhausted', (run) => run.voice.service.failToken('BALANCE_EXHAUSTED')),
  happening('tokens revoked', (run) => run.voice.service.revokeTokens()),
  happening('unreachable', (run) => void (run.voice.service.unreachable = true)),
  happening('reachable', (run) => void (run.voice.service.unreachable = false)),
  fc.constantFrom(2_000, 120_000, 2 * 3_600_000).map(
    (ms) =>
      new Happening(`sleep ${ms}`, async (run) => {
        run.begin()
        const asleep = run.voice.sleep(ms)
        run.urge()
        await asleep
      }),
  ),
  fc.constantFrom(-3_600_000, 3_600_000).map(
    (ms) =>
      new Happening(`the clock is set by ${ms}`, (run) => {
        run.urge()
        // Read the clock: otherwise a sleep and a clock that is set back would cancel each other out.
        clientOf(run.voice.client).platform.now()
        run.voice.jumpClock(ms)
        clientOf(run.voice.client).platform.now()
      }),
  ),
  happening('offline', (run) => run.voice.setOnline(false)),
  happening('online', (run) => {
    run.begin()
    run.voice.setOnline(true)
  }),
  happening('freeze', (run) => run.voice.suspend('freeze')),
  happening('resume', (run) => {
    run.begin()
    run.voice.wake('resume')
  }),
  happening('focus', (run) => run.voice.wake('focus')),
  happening('the back-forward cache', async (run) => {
    run.begin()
    run.voice.suspend('pagehide')
    const before = sourceOf(run.voice.client, 'stt').state()
    if (before.live) throw new Error('a token stays in a page that is left')
    run.voice.wake('resume')
    run.voice.wake('pageshow')
  }),
  happening('open', (run) => {
    if (run.leaves.length === 0) return
    run.begin()
    run.streams.of('stt', 'default').open()
  }),
  happening('close', (run) => run.streams.of('stt', 'default').close()),
  ...Array.from({ length: 2 }, () => happening('the server speaks', (run) => run.speak())),
  happening('only the newest connection answers', async (run) => {
    await APPROACHES['once open']?.(run)
    newest(run)?.send(GROWING)
    await run.say(400)
    run.check()
    newest(run)?.send(GROWING)
  }),
  happening('list', (run) => run.list()),
  ...['ada', 'ben', null].map((user) =>
    happening(user === null ? 'sign out' : `sign in as ${user}`, (run) =>
      run.change(() => run.voice.client.setUser(user)),
    ),
  ),
  fc.tuple(fc.constantFrom(...Object.keys(APPROACHES)), fc.constantFrom('ada', 'ben', null)).map(
    ([approach, user]) =>
      new Happening(`sign in as ${String(user)} ${approach}`, async (run) => {
        await APPROACHES[approach]?.(run)
        run.check()
        run.change(() => run.voice.client.setUser(user === run.voice.client.user ? 'eve' : user))
      }),
  ),
  happening('ada, ben and back at once', (run) => {
    for (const user of ['ada', 'ben', null, 'ada']) run.change(() => run.voice.client.setUser(user))
  }),
  happening('reset', (run) => run.change(() => run.voice.client.reset())),
]

export interface ModelOptions {
  readonly runs: number
  readonly seed?: number | undefined
  /** Longest sequence. Default 40. */
  readonly maxCommands?: number | undefined
  /** Called for each sequence that passed, to see which states were reached. */
  readonly onHeld?: ((voice: VirtualVoice, changedWhile: ReadonlySet<string>) => void) | undefined
}

/** Runs this many random sequences. */
export function checkModel({
  runs,
  seed,
  maxCommands = 40,
  onHeld,
}: ModelOptions): Promise<fc.RunDetails<unknown>> {
  const property = fc.asyncProperty(
    scenarios,
    fc.commands(happenings, { maxCommands, size: 'max' }),
    async (scenario, commands) => {
      const run = new Run(scenario)
      run.mount()
      await fc.asyncModelRun(() => ({ model: {}, real: run }), commands)
      await run.end()
      onHeld?.(run.voice, run.changedWhile)
      // Weak references keep their targets until the current task ends. Promises alone do not end it.
      await new Promise((resolve) => setImmediate(resolve))
    },
  )
  return fc.check(property, { numRuns: runs, ...(seed !== undefined && { seed }) }) as Promise<
    fc.RunDetails<unknown>
  >
}
