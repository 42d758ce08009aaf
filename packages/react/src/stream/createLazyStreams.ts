import type { Product } from '@stagepass/contract'
import type { Client } from '../client/Client.js'
import { errorOfEnd } from '../client/createUsers.js'
import { backoffMs } from '../platform/backoff.js'
import { createListeners } from '../platform/createListeners.js'
import { tokensOf } from '../token/tokensOf.js'
import { asVoiceError } from '../VoiceError.js'
import type { TimerHandle } from '../platform/platform.js'
import { createEarlySends, type EarlySends } from './queue/createEarlySends.js'
import type { StreamRegistry } from './createStreamRegistry.js'
import { IDLE, type Stream, type StreamSnapshot } from './Stream.js'

/** What components use of the streams of a client. */
export interface Streams extends Pick<StreamRegistry, 'snapshot' | 'join' | 'open' | 'close' | 'signal'> {
  stream(product: Product, key: string): Pick<Stream, 'watch' | 'subscribe' | 'send' | 'stats'>
}

type Task = (streams: StreamRegistry) => (() => void) | void

/** Until the code is here, a stream that is wanted shows that it connects: its token is being requested. */
const CONNECTING: StreamSnapshot = { status: 'connecting', error: null }

/**
 * The streams of a client. Their code is a chunk of its own: it loads while the first token is requested, so it delays no stream. Until it is
 * here, what components ask for waits in its order. If it cannot be loaded, that is retried as any request is.
 */
export function createLazyStreams(
  client: Client,
  load: () => Promise<{ readonly openStreams: (client: Client) => StreamRegistry }> = () =>
    import('./streamsOf.js'),
): Streams {
  const { platform, signal } = client
  const tasks = new Set<Task>()
  const early = new Map<string, EarlySends>()
  /** The streams that are wanted, each with the undo of its token request. */
  const wants = new Set<{ readonly name: string; readonly release: () => void }>()
  const watchers = createListeners()
  let wanted = CONNECTING
  let timer: TimerHandle | undefined
  let streams: StreamRegistry | undefined

  async function start(failures = 0): Promise<void> {
    try {
      const { openStreams } = await load()
      if (signal.aborted) return
      streams = openStreams(client)
    } catch (thrown) {
      if (signal.aborted) return
      wanted = { status: 'reconnecting', error: asVoiceError(thrown) }
      timer = platform.setTimeout(() => void start(failures + 1), backoffMs(failures, platform.random()))
      return watchers.notify()
    }
    for (const task of tasks) task(streams)
    // The streams hold tokens and messages from here on.
    tasks.clear()
    early.clear()
    for (const { release } of wants) release()
    watchers.notify()
  }

  /** Runs the task now, or when the code is here. Returns its undo. */
  function run(task: Task): () => void {
    if (streams) return task(streams) ?? (() => {})
    let undo: (() => void) | void
    const waiting: Task = (here) => {
      undo = task(here)
    }
    tasks.add(waiting)
    return () => {
      tasks.delete(waiting)
      undo?.()
    }
  }

  /** What was sent moves to the stream in the order of what components ask for. */
  function earlySends(product: Product, key: string): EarlySends {
    const name = `${product} ${key}`
    const found = early.get(name)
    if (found) return found
    const sends = createEarlySends()
    early.set(name, sends)
    tasks.add((here) => sends.moveTo(here.stream(product, key)))
    return sends
  }

  /** Requests the token and shows the stream as connecting. */
  function want(product: Product, key: string): () => void {
    if (streams || signal.aborted) return () => {}
    const releaseToken = tokensOf(client).source(product).retain()
    const own = {
      name: `${product} ${key}`,
      release: () => {
        if (!wants.delete(own)) return
        releaseToken()
        watchers.notify()
      },
    }
    wants.add(own)
    watchers.notify()
    return own.release
  }

  signal.addEventListener('abort', () => {
    // What the user who leaves has said is not for the next one.
    for (const sends of early.values()) sends.drop()
    tasks.clear()
    platform.clearTimeout(timer)
    const error = errorOfEnd(signal)
    wanted = error ? { status: 'failed', error } : IDLE
    watchers.notify()
  })
  if (!platform.isServer && !signal.aborted) void start()

  return {
    signal,
    snapshot(product, key) {
      if (streams) return streams.snapshot(product, key)
      return [...wants].some(({ name }) => name === `${product} ${key}`) ? wanted : IDLE
    },
    join(product, key, consumer) {
      const undos = [
        run((here) => here.join(product, key, consumer)),
        consumer.enabled ? want(product, key) : undefined,
      ]
      return () => undos.forEach((undo) => undo?.())
    },
    open(product, key) {
      want(product, key)
      run((here) => here.open(product, key))
    },
    close(product, key) {
      run((here) => here.close(product, key))
      for (const own of wants) if (own.name === `${product} ${key}`) own.release()
    },
    stream(product, key) {
      if (streams) return streams.stream(product, key)
      return {
        watch(listener) {
          const undos = [
            watchers.subscribe(listener),
            run((here) => here.stream(product, key).watch(listener)),
          ]
          return () => undos.forEach((undo) => undo())
        },
        subscribe: (listener) => run((here) => here.stream(product, key).subscribe(listener)),
        send(data) {
          if (signal.aborted) return 'dropped'
          earlySends(product, key).add(data, platform.now())
          return 'queued'
        },
        stats() {
          const sends = early.get(`${product} ${key}`)
          return {
            sent: 0,
            queued: sends?.queued() ?? 0,
            bufferedBytes: 0,
            dropped: sends?.dropped() ?? 0,
            latencyMs: 0,
            received: 0,
            generation: undefined,
          }
        },
      }
    },
  }
}
