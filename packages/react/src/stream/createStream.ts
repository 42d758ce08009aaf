import { openSocket } from '#openSocket'
import { type Product, readErrorFrame } from '@stagepass/contract'
import type { Client } from '../identity/Client.js'
import { errorOfEnd } from '../identity/createUsers.js'
import type { EventBody, StreamEvent } from '../events/events.js'
import { onAbort } from '../events/onAbort.js'
import { sayOnce } from '../errors/sayOnce.js'
import { createDates } from '../platform/createDates.js'
import type { TimerHandle, WakeReason } from '../platform/platform.js'
import type { ReceivedData } from '../platform/socket.js'
import { tokensOf } from '../token/tokensOf.js'
import { usageOf } from '../usage/usageOf.js'
import { createAttemptRequest } from './createAttemptRequest.js'
import type { StreamParts } from './lease/StreamParts.js'
import type { StepContext } from './machine/attempt.js'
import type { Resend } from './resend/createResend.js'
import { eventsOf } from './machine/eventsOf.js'
import type { StreamInput } from './machine/input.js'
import { KEEP_MS, MAX_QUEUE_AGE_MS, SAMPLE_RATE, type StreamSettings } from './machine/settings.js'
import {
  attemptOf,
  connectionOf,
  dueAt,
  isActive,
  isDoubted,
  socketsOf,
  type StreamState,
  triedOf,
} from './machine/state.js'
import { withoutToken } from './machine/refusal.js'
import { transition } from './machine/transition.js'
import { createDropReport } from './queue/createDropReport.js'
import { createSendQueue } from './queue/createSendQueue.js'
import { IDLE, isSameSnapshot, snapshotOf } from './machine/snapshot.js'
import type { MessageListener, Stream } from './Stream.js'
import { createKeepAlive } from './watch/createKeepAlive.js'
import { createLastWords } from './watch/createLastWords.js'
import { createOfflineWatch } from './watch/createOfflineWatch.js'
import { createSafeMoment } from './watch/createSafeMoment.js'
import { createReceiveWatch } from './watch/createReceiveWatch.js'
import { createSleepWatch } from './watch/createSleepWatch.js'
import { createConnections, type MessageInfo } from './wire/createConnections.js'

interface StreamOptions {
  readonly product: Product
  readonly key: string
  /** Read each time they are needed, so that they may change between connections. */
  readonly settings: () => StreamSettings
  readonly onMessage: MessageListener
  /** The snapshot has changed. */
  readonly onChange: () => void
}

/** How long `finish` waits for the code of `resend`. */
const LOADING_MS = 10_000

/** While speech waits, a token is requested at least this often. */
const HURRY_MS = 5_000

/** These two do not prove that the page was away. After any other event it was, and waits end. */
const SOFT: readonly WakeReason[] = ['visible', 'focus']

/**
 * Runs the state machine of `transition.ts`. After each step it opens the sockets, requests, the timer and
 * the token subscription that the new state needs, and closes all others.
 */
export function createStream(client: Client, options: StreamOptions): Stream {
  const { platform, signal, moments } = client
  const { product, key, settings } = options
  const tokens = tokensOf(client, product)
  const usage = usageOf(client)
  const isFinal = (data: ReceivedData): boolean | undefined => settings().setup?.isFinal?.(data)
  const dateOf = createDates(platform)
  const inputs: StreamInput[] = []
  let state: StreamState = { status: 'idle' }
  let snapshot = IDLE
  let running = false
  let lastGeneration = 0
  let received = 0
  let timer: TimerHandle | undefined
  let releaseTokens: (() => void) | undefined
  let missingSince = 0
  let isCounted = false
  /** Keeps the sound that is not final. */
  let resend: Resend | undefined
  let isLoading = false
  let hurriedAt = -Infinity
  /** Set while `finish` waits for the last text. No data is accepted then. */
  let lastWords: ReturnType<typeof createLastWords> | undefined

  const context: StepContext = {
    get now() {
      return platform.now()
    },
    get online() {
      return platform.isOnline()
    },
    get settings() {
      return settings()
    },
    get isUnfinished() {
      return resend?.isUnfinished() ?? false
    },
    random: () => platform.random(),
    nextGeneration: () => (lastGeneration += 1),
  }

  const emit = (body: EventBody<StreamEvent>): void =>
    client.emit({ ...body, product, key, at: platform.wallNow() })

  const drops = createDropReport(platform, emit)

  const queue = createSendQueue({
    platform,
    settings() {
      const { queue = {}, resend } = settings()
      if (!isLoading || !resend) return queue
      // Sound waits here as long as it may wait there.
      const { keepMs = KEEP_MS, sampleRate = SAMPLE_RATE } = resend
      return { maxAgeMs: keepMs, maxBytes: (keepMs * sampleRate) / 500 }
    },
    onDrop: drops.add,
    onStall: () => giveUp('stall'),
  })

  const connections = createConnections({
    now: () => platform.now(),
    openSocket(...args) {
      const open = client.openSocket ?? openSocket
      return (client.tap.wrap?.(open, product) ?? open)(...args)
    },
    settings,
    onInput(input) {
      if (input.type === 'opened') offline.heard(input.generation)
      step(input)
    },
    onMessage: receive,
    infoOf: ({ generation, openedAtMs }) =>
      settings().resend
        ? {
            saidAt: (ms) => resend?.saidAt(generation, ms) ?? openedAtMs + ms,
            isResent: () => resend?.isResent(generation) ?? false,
          }
        : {},
  })

  /** Loads what only the option `resend` needs, before there is a connection. Meanwhile all data waits. */
  function loadResend(): void {
    if (resend || isLoading || connectionOf(state) || !settings().resend) return
    isLoading = true
    import('./resend/createResend.js')
      .then(({ createResend }) => {
        if (state.status === 'ended') return
        const onUnanswered = (limitMs: number): void => {
          const generation = connectionOf(state)?.generation
          if (generation !== undefined)
            step({ type: 'unanswered', generation, token: tokens.current(), limitMs })
        }
        const onResent = (ms: number): void => emit({ type: 'stream.resent', ms })
        resend = createResend({
          client,
          product,
          key,
          settings,
          onDrop: queue.drop,
          onResent,
          isAlone: () => state.status === 'open',
          onUnanswered,
        })
        queue.useLane(resend.lane)
      })
      .catch((cause: unknown) => {
        if (process.env.NODE_ENV !== 'production')
          sayOnce(client.said, `Failed to load the code of the option resend: ${String(cause)}`)
      })
      .finally(() => {
        isLoading = false
        attach()
      })
  }

  /** Sends on the current connection from now on. */
  function attach(): void {
    const generation = connectionOf(state)?.generation
    resend?.follow(generation)
    queue.attach(isLoading ? undefined : connections.socket(generation))
    const tried = triedOf(state)
    resend?.try(tried, connections.socket(tried))
  }

  const safeMoment = createSafeMoment({
    platform,
    settings,
    lastSendAt: queue.lastSendAt,
    kept: () => resend,
    onSafe: () => step({ type: 'safe' }),
  })

  const parts: StreamParts = {
    client,
    key,
    tokens,
    step,
    state: () => state,
    socket: connections.socket,
    transition,
    snapshotOf,
    // A chunk of its own, because few handshakes are refused.
    async checkHandshake(...asked) {
      const { createHandshakeCheck } = await import('./wire/createHandshakeCheck.js')
      return createHandshakeCheck(client.request)(...asked)
    },
  }

  const attemptRequest = createAttemptRequest({
    product,
    parts,
    onResult: step,
  })

  const receiveWatch = createReceiveWatch({
    platform,
    silenceMs: () => settings().reconnect?.silenceMs,
    onSilent: () => giveUp('silence'),
  })

  const keepAlive = createKeepAlive({
    platform,
    keepAlive: () => settings().setup?.keepAlive,
    lastSendAt: queue.lastSendAt,
    send: (data) => void queue.send(data),
  })

  const offline = createOfflineWatch()

  // A connection from before a sleep is lost.
  const sleep = createSleepWatch(platform, () => step({ type: 'wake', urgent: true, slept: true }))

  function listen(): () => void {
    const stops = [
      platform.onWake((reason) => {
        const current = connectionOf(state) ?? attemptOf(state)
        const isBack = reason !== 'online'
        const unheard = isBack ? undefined : offline.end(current?.generation)
        step({ type: 'wake', urgent: !SOFT.includes(reason), slept: sleep.hasSlept(), isBack, unheard })
      }),
      platform.onSuspend((reason) => {
        if (reason === 'offline') offline.start()
        else if (reason !== 'background' || !settings().keepInBackground) step({ type: 'suspend', reason })
      }),
      () => sleep.stop(),
      onAbort(signal, endIdentity),
    ]
    sleep.start()
    return () => stops.forEach((stop) => stop())
  }

  function endIdentity(): void {
    stopFinish()
    stopListening()
    // Not only in the step: a listener of an event in the middle of a step may have changed the user.
    connections.keep([])
    resend?.clear()
    step({ type: 'end', error: errorOfEnd(signal) })
  }

  /** An input that comes during a step waits until the step has ended. */
  function step(input: StreamInput): void {
    inputs.push(input)
    if (running) return
    running = true
    try {
      for (let next = inputs.shift(); next; next = inputs.shift()) {
        const previous = state
        state =
          resend?.transition(previous, next, context, parts.transition) ??
          parts.transition(previous, next, context)
        if (state !== previous) reconcile(previous, next)
      }
    } finally {
      running = false
    }
  }

  /** Opens, closes and starts what the new state needs, and reports the change. */
  function reconcile(previous: StreamState, input: StreamInput): void {
    const attempt = attemptOf(state)
    const connection = connectionOf(state)
    if (process.env.NODE_ENV !== 'production' && input.type === 'open' && state.status === 'reconnecting')
      if (state.next.step === 'backoff')
        sayOnce(
          client.said,
          'Failed to open the stream at once: the attempt before has just failed. The page calls open() at each failure, most often in an effect. Call it on a press; while the status is "reconnecting", the stream tries again without a call.',
        )
    if (!isActive(previous) || (connectionOf(previous) && !connection)) missingSince = platform.now()
    // A lost connection sends no more data. A connection that the stream closes itself still does.
    if (input.type === 'lost' && !connection) queue.attach(undefined)
    // Queued data of the previous user is not sent.
    if (isActive(state)) loadResend()
    else queue.end(input.type !== 'end')
    // After a failure the sound waits for the next `open`, but not after a `finish`.
    if (!isActive(state) && (state.status !== 'failed' || lastWords)) resend?.clear()
    connections.keep(socketsOf(state))
    measure()
    retainTokens()
    attemptRequest.follow(state)
    if (attempt?.step === 'opening' && !connections.socket(attempt.generation)) {
      connections.open(attempt.generation, attempt.token)
    }
    attach()
    safeMoment.watch(state)
    receiveWatch.watch(connection?.generation)
    keepAlive.watch(connection?.generation)
    setTimer()
    if (previous.status !== state.status || !isActive(state)) drops.flush()
    const events = eventsOf(previous, state, input, { now: platform.now(), missingSince })
    for (const body of events) emit(body)
    show()
  }

  function retainTokens(): void {
    // A stream that waits in the queue needs no token.
    const isNeeded = isActive(state) && !('queue' in state)
    if (isNeeded && !releaseTokens) {
      usage.need(product, 1)
      const release = tokens.retain()
      const unsubscribe = tokens.subscribe(() => {
        const token = tokens.current()
        if (token) step({ type: 'renewed', token })
        show()
      })
      releaseTokens = () => {
        unsubscribe()
        release()
        usage.need(product, -1)
      }
    } else if (!isNeeded) {
      releaseTokens?.()
      releaseTokens = undefined
    }
  }

  /** Counts the time for the user's minutes. */
  function measure(): void {
    const isOpen = connectionOf(state) !== undefined
    if (isOpen !== isCounted) usage.count(product, isOpen ? 1 : -1)
    isCounted = isOpen
  }

  function receive(data: ReceivedData, info: MessageInfo): void {
    const { generation } = info
    received += 1
    receiveWatch.heard()
    parts.tick?.()
    offline.heard(generation)
    if (isDoubted(state)) step({ type: 'answered', generation })
    resend?.received(data, generation)
    lastWords?.received(data)
    if (!moments.isEmpty()) moments.notify({ type: 'received', product, key, data, isFinal })
    const attempt = attemptOf(state)
    const setup = attempt?.generation === generation && attempt.step === 'setup' ? attempt : undefined
    if (setup && settings().setup?.isReady?.(data)) step({ type: 'ready', generation })
    options.onMessage(data, info)
    // During the setup an error message ends the attempt. On a ready connection it may be about a single
    // message, or about the rate, so only a close ends that connection.
    const refusal = setup && typeof data === 'string' ? readErrorFrame(data) : undefined
    if (setup && refusal) step({ type: 'lost', generation, refusal: withoutToken(refusal, setup.token) })
  }

  /** The connection is dead, but the socket has not reported a close. */
  function giveUp(by: 'stall' | 'silence'): void {
    const connection = connectionOf(state)
    if (connection) step({ type: 'lost', generation: connection.generation, by })
  }

  /** Speech that is not final does not wait for the end of a long backoff of the token. */
  function hurryToken(): void {
    const isMinting = attemptOf(state)?.step === 'minting'
    if (!isMinting || !resend?.isUnfinished() || platform.now() - hurriedAt < HURRY_MS) return
    hurriedAt = platform.now()
    tokens.retryNow()
  }

  function stopFinish(): void {
    resend?.expectLast(false)
    lastWords?.stop()
    lastWords = undefined
  }

  /** Replaces a connection that was begun with another configuration than the codec has now. */
  function refresh(): void {
    // The last words of a `finish` belong to the connection that it closes.
    if (!lastWords && connections.isOutdated()) step({ type: 'outdated' })
  }

  /** An input from outside. It cancels a `finish`. */
  function stepFromOutside(input: StreamInput): void {
    stopFinish()
    step(input)
    if (input.type !== 'open') return
    if (attemptOf(state)?.step === 'minting') tokens.retryNow()
    refresh()
  }

  function setTimer(): void {
    platform.clearTimeout(timer)
    timer = undefined
    const due = dueAt(state)
    if (due === Infinity) return
    // Rounded up, because a timer with a fraction of a millisecond fires too early, repeatedly.
    const delay = Math.max(0, Math.ceil(due - platform.now()))
    timer = platform.setTimeout(() => {
      step({ type: 'time' })
      // The step changed nothing if the timer was early.
      if (dueAt(state) === due) setTimer()
    }, delay)
  }

  /** When the next attempt starts, or the token request that it waits for. */
  function retryAt(): Date | null {
    if (state.status !== 'reconnecting') return null
    if (state.next.step === 'minting') return tokens.state().retryAt
    return dateOf(state.next.step === 'backoff' ? state.next.until : Infinity)
  }

  function show(): void {
    const next = parts.snapshotOf(state, retryAt())
    if (isSameSnapshot(next, snapshot)) return
    snapshot = next
    options.onChange()
  }

  const stopListening = listen()
  // The stream was created for a user who has already changed.
  if (signal.aborted) endIdentity()

  return {
    snapshot: () => snapshot,
    send(data) {
      const isOver = lastWords || signal.aborted || ['closed', 'failed', 'ended'].includes(state.status)
      if (!isOver) {
        if (!moments.isEmpty()) moments.notify({ type: 'sent', product, key, data })
        hurryToken()
        return queue.send(data)
      }
      queue.refuse(data)
      return 'dropped'
    },
    step: stepFromOutside,
    refresh,
    finish(timeoutMs) {
      if (state.status === 'failed') resend?.clear()
      resend?.expectLast(true)
      lastWords ??= createLastWords({
        platform,
        settings,
        generation: () => connectionOf(state)?.generation,
        isWaiting() {
          const { queued, bufferedBytes } = queue.stats()
          return queued + bufferedBytes > 0
        },
        // The queue drops data that is older.
        maxWaitMs: () => (isLoading ? LOADING_MS : (settings().queue?.maxAgeMs ?? MAX_QUEUE_AGE_MS)),
        kept: () => resend,
        timeoutMs,
        onDone(hasLastText) {
          if (hasLastText) resend?.settle()
          stepFromOutside({ type: 'close' })
        },
      })
      return lastWords.ended
    },
    stats: () => ({
      ...queue.stats(),
      received,
      generation: connectionOf(state)?.generation,
      ...(resend?.stats() ?? { unfinalMs: 0, behindMs: 0 }),
    }),
    end() {
      stopFinish()
      stopListening()
      step({ type: 'release' })
    },
  }
}
