import type { Product } from '@stagepass/contract'
import { errorOfEnd } from '../client/createUsers.js'
import type { StreamEvent } from '../client/events.js'
import type { Platform, TimerHandle, WakeReason } from '../platform/platform.js'
import type { OpenSocket } from '../platform/socket.js'
import type { TokenSource } from '../token/TokenSource.js'
import { createStream } from './createStream.js'
import type { StreamInput } from './machine/input.js'
import type { StreamSettings } from './machine/settings.js'
import { IDLE, type Stream, type StreamSnapshot } from './Stream.js'
import { createSleepWatch } from './watch/createSleepWatch.js'
import type { CheckHandshake } from './wire/createHandshakeCheck.js'
import type { HostedSockets } from './wire/HostedSockets.js'

export interface StreamRegistryOptions {
  readonly tokens: (product: Product) => TokenSource
  /** Its `now()` must include the sleep of the machine. */
  readonly platform: Platform
  readonly checkHandshake: CheckHandshake
  readonly emit: (event: StreamEvent) => void
  readonly openSocket: OpenSocket
  readonly hosted: HostedSockets
  /** Aborts when the identity ends: then all streams end, and no stream ever opens. */
  readonly signal: AbortSignal
}

/** A component or caller that uses a shared stream. */
export interface StreamConsumer {
  /** False: it listens, but does not want the stream open. */
  readonly enabled: boolean
  readonly settings: () => StreamSettings
}

/** All streams of one user: one for each product and key, however many components use it. */
export interface StreamRegistry {
  /** The stream; made on the first call, and forgotten `LINGER_MS` after its last consumer has left. */
  stream(product: Product, key: string): Stream
  snapshot(product: Product, key: string): StreamSnapshot
  /** A consumer uses the stream. Returns its undo. */
  join(product: Product, key: string, consumer: StreamConsumer): () => void
  /** Opens a stream that no consumer has enabled, or that was closed or failed. */
  open(product: Product, key: string): void
  close(product: Product, key: string): void
  /** Aborts when the identity ends. */
  readonly signal: AbortSignal
}

interface SharedStream {
  readonly stream: Stream
  readonly consumers: Set<StreamConsumer>
  /** Opened by `open()`, not because a consumer is there. */
  openedByCall: boolean
  wanted: boolean
  /** Closed by `close()`; stays closed until `open()`. */
  closedByCall: boolean
  /** After the last consumer has left: that consumer's. */
  settings: () => StreamSettings
  linger: TimerHandle | undefined
}

/** How long a stream stays after its last consumer: StrictMode and hot reload come back at once. */
const LINGER_MS = 250

const NO_SETTINGS = (): StreamSettings => ({})

/** The page was certainly away, so waits end now. Focus or visibility alone does not prove it. */
const URGENT: ReadonlySet<WakeReason> = new Set<WakeReason>(['online', 'pageshow', 'resume'])

export function createStreamRegistry(options: StreamRegistryOptions): StreamRegistry {
  const { platform, signal } = options
  const streams = new Map<string, SharedStream>()
  let stopListening: (() => void) | undefined

  options.hosted.watchHosts({
    onLost: () => stepAll({ type: 'suspend' }),
    onFound: () => stepAll({ type: 'wake', urgent: true, slept: false }),
  })

  // What was connected before a sleep is lost.
  const sleep = createSleepWatch(platform, () => stepAll({ type: 'wake', urgent: true, slept: true }))

  const end = (): StreamInput => ({ type: 'end', error: errorOfEnd(signal) })
  signal.addEventListener('abort', () => {
    stopListening?.()
    stepAll(end())
  })

  function stepAll(input: StreamInput): void {
    for (const { stream } of streams.values()) stream.step(input)
  }

  function listen(): () => void {
    sleep.start()
    const undos = [
      platform.onWake((reason) =>
        stepAll({ type: 'wake', urgent: URGENT.has(reason), slept: sleep.hasSlept() }),
      ),
      platform.onSuspend(() => stepAll({ type: 'suspend' })),
      () => sleep.stop(),
    ]
    return () => undos.forEach((undo) => undo())
  }

  function sharedOf(product: Product, key: string): SharedStream {
    const name = nameOf(product, key)
    const found = streams.get(name)
    if (found) return found
    const shared: SharedStream = {
      stream: createStream({
        product,
        key,
        tokens: options.tokens(product),
        platform,
        checkHandshake: options.checkHandshake,
        emit: options.emit,
        openSocket: options.openSocket,
        settings: () => shared.settings(),
      }),
      consumers: new Set(),
      openedByCall: false,
      wanted: false,
      closedByCall: false,
      settings: NO_SETTINGS,
      linger: undefined,
    }
    streams.set(name, shared)
    if (signal.aborted) shared.stream.step(end())
    else stopListening ??= listen()
    startLinger(name, shared)
    return shared
  }

  function startLinger(name: string, shared: SharedStream): void {
    shared.linger = platform.setTimeout(() => forget(name, shared), LINGER_MS)
  }

  function forget(name: string, shared: SharedStream): void {
    streams.delete(name)
    shared.stream.step({ type: 'release' })
    if (streams.size > 0) return
    stopListening?.()
    stopListening = undefined
  }

  /** Opens or releases the stream if the consumers' need has changed. */
  function review(shared: SharedStream): void {
    const wanted = shared.openedByCall || [...shared.consumers].some(({ enabled }) => enabled)
    if (wanted === shared.wanted) return
    shared.wanted = wanted
    if (!shared.closedByCall) shared.stream.step({ type: wanted ? 'open' : 'release' })
  }

  return {
    stream: (product, key) => sharedOf(product, key).stream,
    snapshot: (product, key) => streams.get(nameOf(product, key))?.stream.snapshot() ?? IDLE,
    join(product, key, consumer) {
      const shared = sharedOf(product, key)
      platform.clearTimeout(shared.linger)
      shared.consumers.add(consumer)
      shared.settings = firstOf(shared.consumers).settings
      review(shared)
      return () => {
        shared.consumers.delete(consumer)
        if (shared.consumers.size === 0) {
          shared.openedByCall = false
          startLinger(nameOf(product, key), shared)
        } else {
          shared.settings = firstOf(shared.consumers).settings
          review(shared)
        }
      }
    },
    open(product, key) {
      const shared = sharedOf(product, key)
      shared.openedByCall = shared.wanted = true
      shared.closedByCall = false
      shared.stream.step({ type: 'open' })
    },
    close(product, key) {
      const shared = streams.get(nameOf(product, key))
      if (!shared) return
      shared.openedByCall = false
      shared.closedByCall = true
      shared.stream.step({ type: 'close' })
    },
    signal,
  }
}

function nameOf(product: Product, key: string): string {
  return `${product} ${key}`
}

function firstOf(consumers: Set<StreamConsumer>): StreamConsumer {
  return consumers.values().next().value as StreamConsumer
}
