import type { Product } from '@stagepass/contract'
import type { Client } from '../client/Client.js'
import { errorOfEnd } from '../client/createUsers.js'
import { backoffMs } from '../platform/backoff.js'
import { createListeners } from '../platform/createListeners.js'
import type { TimerHandle } from '../platform/platform.js'
import type { SendData } from '../platform/socket.js'
import { tokensOf } from '../token/tokensOf.js'
import { asVoiceError } from '../VoiceError.js'
import type * as streamCode from './createStream.js'
import type { StreamSettings } from './machine/settings.js'
import { createEarlySends } from './queue/createEarlySends.js'
import type { SendResult } from './queue/createSendQueue.js'
import {
  calmSnapshot,
  failedSnapshot,
  IDLE,
  type MessageListener,
  reconnectingSnapshot,
  type Stream,
  type StreamSnapshot,
  type StreamStats,
} from './Stream.js'

/** A component or caller that uses a shared stream. */
interface StreamConsumer {
  /** False: it listens, but does not want the stream open. */
  readonly enabled: boolean
  readonly settings: () => StreamSettings
}

/**
 * The stream of one product and key, however many components use it. It is there before the code that runs
 * it.
 */
export interface SharedStream {
  readonly snapshot: () => StreamSnapshot
  /** Calls back when the snapshot has changed. Returns its undo. */
  readonly watch: (listener: () => void) => () => void
  readonly subscribe: (listener: MessageListener) => () => void
  send(data: SendData): SendResult
  stats(): StreamStats
  /** A consumer uses the stream. Returns its undo. */
  join(consumer: StreamConsumer): () => void
  /** Opens a stream that no consumer has enabled, or that was closed or failed. */
  open(): void
  close(): void
  /** Takes no more, and closes after the last words. Resolves then, or when `open` takes it back. */
  finish(timeoutMs: number): Promise<void>
}

export interface Streams {
  /** The stream; made on the first call, and forgotten `LINGER_MS` after its last consumer has left. */
  of(product: Product, key: string): SharedStream
  /** The snapshot of the stream, which is not made by that. */
  snapshot(product: Product, key: string): StreamSnapshot
  /** Holds a live token while the page is visible. Returns its undo. */
  keepWarm(product: Product): () => void
  /** Gets a live token, if there is none. */
  prepare(product: Product): void
  /** Aborts when the identity ends. */
  readonly signal: AbortSignal
}

/** The code that runs streams. */
type StreamCode = Pick<typeof streamCode, 'createStream'>

/** How long a stream stays after its last consumer: StrictMode and hot reload come back at once. */
const LINGER_MS = 250

const NO_SETTINGS = (): StreamSettings => ({})

/**
 * All streams of one user. The code that runs them is a chunk of its own: it loads while the first token is
 * requested, so it delays no stream. Until it is here, a stream gathers what is sent. If it cannot be loaded,
 * that is retried as any request is.
 */
export function createStreams(
  client: Client,
  load: () => StreamCode | Promise<StreamCode> = () => import('./createStream.js'),
): Streams {
  const { platform, signal } = client
  const streams = new Map<string, SharedStream>()
  /** The code is here, or could not be loaded; or the identity has ended. */
  const changes = createListeners()
  let code: StreamCode | undefined
  /** What a wanted stream shows until the code is here: its token is being requested. */
  let waiting = signal.aborted ? snapshotOfEnd(signal) : calmSnapshot('connecting')
  let timer: TimerHandle | undefined

  function loadCode(failures = 0): void {
    const loaded = load()
    if (!(loaded instanceof Promise)) return arrive(loaded)
    loaded.then(arrive, (thrown: unknown) => {
      if (signal.aborted) return
      waiting = reconnectingSnapshot(asVoiceError(thrown))
      timer = platform.setTimeout(() => loadCode(failures + 1), backoffMs(failures, platform.random()))
      changes.notify()
    })
  }

  function arrive(loaded: StreamCode): void {
    if (signal.aborted) return
    code = loaded
    changes.notify()
  }

  signal.addEventListener('abort', () => {
    platform.clearTimeout(timer)
    waiting = snapshotOfEnd(signal)
    changes.notify()
  })
  if (!platform.isServer && !signal.aborted) loadCode()

  function createShared(product: Product, key: string): SharedStream {
    const tokens = tokensOf(client).source(product)
    const consumers = new Set<StreamConsumer>()
    const listeners = new Set<MessageListener>()
    const watchers = createListeners()
    const early = createEarlySends()
    let stream: Stream | undefined
    /** Opened by `open()`, not because a consumer is there. */
    let isOpened = false
    /** Closed by `close()`; stays closed until `open()`. */
    let isClosed = false
    let isWanted = false
    /** After the last consumer has left: that consumer's. */
    let settings = NO_SETTINGS
    let releaseToken: (() => void) | undefined
    let linger: TimerHandle | undefined
    let finishing: { timeoutMs: number; end?: () => void; ended?: Promise<void> } | undefined

    function endFinish(): void {
      finishing?.end?.()
      finishing = undefined
    }

    function close(): void {
      endFinish()
      isOpened = false
      isClosed = true
      stream?.step({ type: 'close' })
      followToken()
    }

    /** Until the code is here, the token is requested. */
    function followToken(): void {
      if (isWanted && !isClosed && !stream && !signal.aborted) releaseToken ??= tokens.retain()
      else {
        releaseToken?.()
        releaseToken = undefined
      }
      if (!stream) watchers.notify()
    }

    function followCode(): void {
      // What a user who leaves has said is not for the next one.
      if (signal.aborted) {
        endFinish()
        early.drop()
      } else if (code && !stream) {
        stream = code.createStream(client, {
          product,
          key,
          settings: () => settings(),
          onMessage: (data, info) => pass(listeners, data, info),
          onChange: watchers.notify,
        })
        early.moveTo(stream)
        if (isClosed) stream.step({ type: 'close' })
        else if (isWanted) stream.step({ type: 'open' })
        if (finishing) stream.finish(finishing.timeoutMs, close)
        // The stream has the token from here on.
      }
      followToken()
    }

    /** Opens or releases the stream if the consumers' need has changed. */
    function review(): void {
      const wasWanted = isWanted
      isWanted = isOpened || [...consumers].some(({ enabled }) => enabled)
      if (isWanted === wasWanted) return
      if (!isClosed) stream?.step({ type: isWanted ? 'open' : 'release' })
      followToken()
    }

    function startLinger(): void {
      linger = platform.setTimeout(() => {
        streams.delete(nameOf(product, key))
        stopFollowing()
        endFinish()
        isWanted = false
        followToken()
        stream?.end()
      }, LINGER_MS)
    }

    const firstSettings = (): (() => StreamSettings) => [...consumers][0]?.settings ?? settings
    const stopFollowing = changes.subscribe(followCode)
    followCode()
    startLinger()

    return {
      snapshot() {
        if (stream) return stream.snapshot()
        if (signal.aborted) return waiting
        if (isClosed) return calmSnapshot('closed')
        return isWanted ? waiting : IDLE
      },
      watch: watchers.subscribe,
      subscribe(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      send(data) {
        if (stream) return stream.send(data)
        if (isClosed || finishing || signal.aborted) return 'dropped'
        early.add(data, platform.now())
        return 'queued'
      },
      stats: () => stream?.stats() ?? { ...NO_STATS, queued: early.queued(), dropped: early.dropped() },
      join(consumer) {
        platform.clearTimeout(linger)
        consumers.add(consumer)
        settings = firstSettings()
        review()
        return () => {
          consumers.delete(consumer)
          settings = firstSettings()
          if (consumers.size > 0) return review()
          isOpened = false
          if (!stream) isWanted = false
          followToken()
          startLinger()
        }
      },
      open() {
        endFinish()
        isOpened = isWanted = true
        isClosed = false
        stream?.step({ type: 'open' })
        followToken()
      },
      close,
      finish(timeoutMs) {
        const mine = (finishing ??= { timeoutMs })
        stream?.finish(timeoutMs, close)
        return (mine.ended ??= new Promise((end) => (mine.end = end)))
      },
    }
  }

  return {
    of(product, key) {
      const name = nameOf(product, key)
      const found = streams.get(name) ?? createShared(product, key)
      streams.set(name, found)
      return found
    },
    keepWarm(product) {
      const tokens = tokensOf(client).source(product)
      let release: (() => void) | undefined
      const follow = (isVisible: boolean): void => {
        release?.()
        release = isVisible ? tokens.retain() : undefined
      }
      const stop = platform.watchVisibility ? platform.watchVisibility(follow) : follow(true)
      return () => {
        stop?.()
        follow(false)
      }
    },
    prepare(product) {
      // If it fails, the press asks again, and shows why.
      tokensOf(client)
        .source(product)
        .get()
        .catch(() => {})
    },
    snapshot: (product, key) => streams.get(nameOf(product, key))?.snapshot() ?? IDLE,
    signal,
  }
}

const NO_STATS: StreamStats = {
  sent: 0,
  queued: 0,
  bufferedBytes: 0,
  dropped: 0,
  latencyMs: 0,
  received: 0,
  generation: undefined,
}

/** What a stream shows whose identity has ended: an error only if the BFF ended it. */
function snapshotOfEnd(signal: AbortSignal): StreamSnapshot {
  const error = errorOfEnd(signal)
  return error ? failedSnapshot(error) : IDLE
}

function nameOf(product: Product, key: string): string {
  return `${product} ${key}`
}

function pass(listeners: ReadonlySet<MessageListener>, ...message: Parameters<MessageListener>): void {
  for (const listener of listeners) {
    try {
      listener(...message)
    } catch (thrown) {
      // The page gets the error of a listener; the other listeners get their message.
      queueMicrotask(() => {
        throw thrown
      })
    }
  }
}
