import type { Product, Refusal } from '@stagepass/contract'
import { readClose, readErrorFrame } from '@stagepass/contract'
import type { Platform, TimerHandle } from '../platform/platform.js'
import type { LiveToken, TokenSource } from '../token/TokenSource.js'
import { VoiceError } from '../VoiceError.js'
import type { CheckHandshake } from './wire/createHandshakeCheck.js'
import { createDropReport } from './queue/createDropReport.js'
import { createOutlet } from './queue/createSendQueue.js'
import { createSafeMoment } from './watch/createSafeMoment.js'
import { createSilenceWatch } from './watch/createSilenceWatch.js'
import { createTrialRequest } from './createAttemptRequest.js'
import type { StreamEventBody } from './machine/describe.js'
import { describe } from './machine/describe.js'
import type { StreamEvent } from '../client/events.js'
import type { World } from './machine/recover.js'
import { withoutToken } from './machine/refusal.js'
import type { OpenSocket, ReceivedData, Socket } from '../platform/socket.js'
import type { StreamSettings } from './machine/settings.js'
import type { MessageInfo, MessageListener, Stream } from './Stream.js'
import { IDLE } from './Stream.js'
import type { StreamInput } from './machine/input.js'
import type { StreamState } from './machine/state.js'
import { dueAt, isActive, linkOf, socketsOf, trialOf } from './machine/state.js'
import { streamUrl } from './wire/streamUrl.js'
import { transition } from './machine/transition.js'

export interface StreamOptions {
  readonly product: Product
  readonly key: string
  readonly tokens: TokenSource
  readonly platform: Platform
  readonly checkHandshake: CheckHandshake
  readonly emit: (event: StreamEvent) => void
  readonly openSocket: OpenSocket
  /** Read when needed, so that they may change between connections. */
  readonly settings: () => StreamSettings
}

/** A connection in being. */
interface Connection {
  readonly socket: Socket
  readonly token: LiveToken
  /** One object for all its messages. */
  readonly info: MessageInfo
  /** The last text frame: where the server closes without a reason, it may have given it there. */
  lastText: string
  /** Text frames that will still be read for a refusal as they come. */
  probes: number
}

/** A refusal comes early; the frames of a stream in use are not ours to read. */
const PROBES = 8

/** Timers longer than this wrap around to nothing. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Runs the machine of `transition.ts`: after every step it holds exactly the sockets, the request, the timer and the token that the new
 * state names, and ends those that it names no more. So nothing outlives the state that wanted it.
 */
export function createStream(options: StreamOptions): Stream {
  const { product, key, tokens, platform, settings } = options
  const connections = new Map<number, Connection>()
  const listeners = new Set<MessageListener>()
  const watchers = new Set<() => void>()
  const inputs: StreamInput[] = []
  let state: StreamState = { status: 'idle' }
  let snapshot = IDLE
  let running = false
  let lastId = 0
  let received = 0
  let timer: TimerHandle | undefined
  let letTokensGo: (() => void) | undefined
  let closeCode: number | undefined
  let missingSince = 0

  const world: World = {
    get now() {
      return platform.now()
    },
    get online() {
      return platform.isOnline()
    },
    get settings() {
      return settings()
    },
    random: () => platform.random(),
    nextId: () => (lastId += 1),
  }

  const emit = (body: StreamEventBody): void =>
    options.emit({ ...body, product, key, at: platform.wallNow() })

  const drops = createDropReport(platform, emit)

  const outlet = createOutlet({
    platform,
    settings: () => ({ ...settings().queue, stallMs: settings().reconnect?.stallMs }),
    onDrop: drops.add,
    onStall: loseLink,
  })

  const safeMoment = createSafeMoment({
    platform,
    settings,
    lastSendAt: outlet.lastSendAt,
    onSafe: () => step({ type: 'safe' }),
  })

  const trialRequest = createTrialRequest({
    product,
    tokens,
    checkHandshake: options.checkHandshake,
    onResult: step,
  })

  const silence = createSilenceWatch({
    platform,
    silenceMs: () => settings().reconnect?.silenceMs,
    onSilent: loseLink,
  })

  /** Inputs that come while one is being taken wait their turn. */
  function step(input: StreamInput): void {
    inputs.push(input)
    if (running) return
    running = true
    try {
      for (let next = inputs.shift(); next; next = inputs.shift()) {
        const previous = state
        state = transition(previous, next, world)
        if (state !== previous) settle(previous, next)
      }
    } finally {
      running = false
    }
  }

  function settle(previous: StreamState, input: StreamInput): void {
    if (!isActive(previous) || (linkOf(previous) && !linkOf(state))) missingSince = platform.now()
    // A connection that was lost takes nothing more; one that is given up does.
    if (input.type === 'lost' && !linkOf(state)) outlet.attach(undefined)
    if (!isActive(state)) outlet.end()
    endUnnamed()
    retainTokens()
    trialRequest.follow(state)
    const trial = trialOf(state)
    if (trial?.step === 'opening' && !connections.has(trial.id)) connect(trial.id, trial.token)
    const link = linkOf(state)
    outlet.attach(link && connections.get(link.id)?.socket)
    safeMoment.watch(state)
    silence.watch(link?.id)
    arm()
    if (previous.status !== state.status || !isActive(state)) drops.flush()
    const facts = { now: platform.now(), missingSince, closeCode }
    for (const body of describe(previous, state, input, facts)) emit(body)
    show()
  }

  function endUnnamed(): void {
    const named = socketsOf(state)
    for (const [id, { socket }] of connections) {
      if (named.includes(id)) continue
      connections.delete(id)
      socket.close()
    }
  }

  function retainTokens(): void {
    if (isActive(state) && !letTokensGo) {
      const release = tokens.retain()
      const unsubscribe = tokens.subscribe(() => {
        const token = tokens.current()
        if (token) step({ type: 'renewed', token })
      })
      letTokensGo = () => {
        unsubscribe()
        release()
      }
    } else if (!isActive(state)) {
      letTokensGo?.()
      letTokensGo = undefined
    }
  }

  function connect(id: number, token: LiveToken): void {
    const url = streamUrl(token)
    if (!url) {
      step({ type: 'mint failed', id, error: new VoiceError('MALFORMED_ANSWER') })
      return
    }
    const socket = options.openSocket(url, {
      opened() {
        const connection = connections.get(id)
        if (!connection) return
        for (const frame of settings().greeting?.start?.() ?? []) connection.socket.send(frame)
        step({ type: 'opened', id })
      },
      received(data) {
        const connection = connections.get(id)
        if (connection) receive(id, connection, data)
      },
      closed(code, reason) {
        const connection = connections.get(id)
        if (!connection) return
        closeCode = code
        const refusal = readClose(code, reason) ?? readErrorFrame(connection.lastText)
        step({ type: 'lost', id, refusal: withoutToken(refusal, token) })
      },
    })
    connections.set(id, { socket, token, info: { generation: id }, lastText: '', probes: PROBES })
  }

  function receive(id: number, connection: Connection, data: ReceivedData): void {
    received += 1
    silence.heard()
    let refusal: Refusal | undefined
    if (typeof data === 'string') {
      connection.lastText = data
      if (connection.probes > 0) {
        connection.probes -= 1
        refusal = withoutToken(readErrorFrame(data), connection.token)
      }
    }
    const trial = trialOf(state)
    const greets = trial?.id === id && trial.step === 'greeting'
    if (greets && settings().greeting?.isReady?.(data)) step({ type: 'ready', id })
    for (const listener of listeners) {
      try {
        listener(data, connection.info)
      } catch (thrown) {
        // One listener's fault is its own: the page hears of it, the others their message.
        queueMicrotask(() => {
          throw thrown
        })
      }
    }
    // STREAM_ERROR may be about one frame, and the stream go on; a server that means the stream closes it.
    if (refusal && (greets || refusal.code !== 'STREAM_ERROR')) step({ type: 'lost', id, refusal })
  }

  function loseLink(): void {
    const link = linkOf(state)
    closeCode = undefined
    if (link) step({ type: 'lost', id: link.id })
  }

  function arm(): void {
    platform.clearTimeout(timer)
    timer = undefined
    const due = dueAt(state)
    if (due === Infinity) return
    // Rounded up: a timer of a fraction comes too early, and would be set again and again.
    const delay = Math.min(Math.max(0, Math.ceil(due - platform.now())), MAX_TIMER_MS)
    timer = platform.setTimeout(() => {
      step({ type: 'time' })
      // Too early, or too far away for one timer: the step changed nothing.
      if (dueAt(state) === due) arm()
    }, delay)
  }

  function show(): void {
    const status = state.status === 'rolling over' ? 'open' : state.status
    const error = 'error' in state ? state.error : null
    if (status === snapshot.status && error === snapshot.error) return
    snapshot = { status, error }
    for (const watcher of watchers) watcher()
  }

  return {
    snapshot: () => snapshot,
    watch(listener) {
      watchers.add(listener)
      return () => watchers.delete(listener)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    send(data) {
      if (state.status !== 'closed' && state.status !== 'failed') return outlet.send(data)
      outlet.refuse(data)
      return 'dropped'
    },
    step,
    stats: () => ({ ...outlet.stats(), received, generation: linkOf(state)?.id }),
  }
}
