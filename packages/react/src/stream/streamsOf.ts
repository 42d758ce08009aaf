import type { Product } from '@stagepass/contract'
import { perClient } from '../identity/perClient.js'
import { callSafely } from '../events/callSafely.js'
import { createListeners } from '../events/createListeners.js'
import type { TimerHandle } from '../platform/platform.js'
import { createStream } from './createStream.js'
import type { StreamSettings } from './machine/settings.js'
import { IDLE, type StreamSnapshot } from './machine/snapshot.js'
import type { MessageListener } from './Stream.js'

/** A component or caller that uses a stream. */
interface StreamUser {
  /** False: it listens, but does not open the stream. */
  readonly enabled: boolean
  readonly settings: () => StreamSettings
}

/** How long a stream stays after its last user has left. StrictMode and hot reload mount again at once. */
const LINGER_MS = 250

const NO_SETTINGS = (): StreamSettings => ({})

/** The streams of a client: one for each product and key. Any number of components can use it. */
export const streamsOf = perClient((client) => {
  const { platform } = client
  const streams = new Map<string, UsedStream>()

  function createUsedStream(product: Product, key: string) {
    const users = new Set<StreamUser>()
    const listeners = createListeners<Parameters<MessageListener>>()
    const watchers = createListeners()
    /** Opened by `open()`, while no user has enabled it. Enabled users decide by themselves. */
    let isOpened = false
    let isWanted = false
    /** After the last user has left, that user's settings. */
    let settings = NO_SETTINGS
    let linger: TimerHandle | undefined

    const stream = createStream(client, {
      product,
      key,
      settings: () => settings(),
      onMessage: listeners.notify,
      onChange: watchers.notify,
    })

    const countEnabled = (): number => [...users].filter(({ enabled }) => enabled).length

    /**
     * Opens the stream if a user needs it now, and releases it if no user does any longer. A closed stream
     * stays closed.
     */
    function review(): void {
      const wasWanted = isWanted
      isWanted = isOpened || countEnabled() > 0
      if (isWanted === wasWanted || stream.snapshot().status === 'closed') return
      stream.step({ type: isWanted ? 'open' : 'release' })
    }

    function startLinger(): void {
      linger = platform.setTimeout(() => {
        streams.delete(nameOf(product, key))
        stream.end()
      }, LINGER_MS)
    }

    const firstSettings = (): (() => StreamSettings) => [...users][0]?.settings ?? settings
    startLinger()

    return {
      ...stream,
      /** The number of users that need the stream. */
      countEnabled,
      /** True while a component uses it: it may have a codec, and hears the messages. */
      isUsed: (): boolean => users.size > 0,
      /** Calls the listener when the snapshot has changed. Returns a function that unsubscribes. */
      watch: watchers.subscribe,
      subscribe: (listener: MessageListener) =>
        listeners.subscribe((...message) => callSafely(() => listener(...message))),
      /** Adds a user of the stream. Returns a function that removes it. */
      join(user: StreamUser): () => void {
        platform.clearTimeout(linger)
        users.add(user)
        settings = firstSettings()
        if (user.enabled) isOpened = false
        review()
        return () => {
          users.delete(user)
          settings = firstSettings()
          if (users.size > 0) return review()
          isOpened = false
          startLinger()
        }
      },
      /** Opens a stream that no user has enabled, or that was closed or failed. */
      open(): void {
        isOpened = countEnabled() === 0
        isWanted = true
        stream.step({ type: 'open' })
      },
      close(): void {
        isOpened = false
        stream.step({ type: 'close' })
      },
    }
  }

  type UsedStream = ReturnType<typeof createUsedStream>

  return {
    /**
     * The stream. It is created on the first call, and forgotten `LINGER_MS` after its last user has left.
     */
    of(product: Product, key: string): UsedStream {
      const name = nameOf(product, key)
      const found = streams.get(name) ?? createUsedStream(product, key)
      streams.set(name, found)
      return found
    },
    /** The snapshot of the stream. Does not create the stream. */
    snapshot: (product: Product, key: string): StreamSnapshot =>
      streams.get(nameOf(product, key))?.snapshot() ?? IDLE,
  }
})

function nameOf(product: Product, key: string): string {
  return `${product} ${key}`
}
