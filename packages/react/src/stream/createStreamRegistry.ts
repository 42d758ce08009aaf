import type { Product } from '@stagepass/contract'
import type { Platform, TimerHandle, WakeReason } from '../platform/platform.js'
import type { TokenSource } from '../token/TokenSource.js'
import { createStream } from './createStream.js'
import { createSleepWatch } from './watch/createSleepWatch.js'
import type { CheckHandshake } from './wire/createHandshakeCheck.js'
import type { StreamEvent } from '../client/events.js'
import type { HostBoard } from './wire/HostedSockets.js'
import type { OpenSocket } from '../platform/socket.js'
import type { StreamSettings } from './machine/settings.js'
import type { Stream, StreamSnapshot } from './Stream.js'
import { IDLE } from './Stream.js'
import type { StreamInput } from './machine/input.js'

export interface StreamRegistryOptions {
  readonly tokens: (product: Product) => TokenSource
  /** Its `now()` must count the sleep of the machine. */
  readonly platform: Platform
  readonly checkHandshake: CheckHandshake
  readonly emit: (event: StreamEvent) => void
  readonly openSocket: OpenSocket
  readonly hosts: HostBoard
  /** How long a stream outlives its last user: StrictMode and a hot reload come back at once. Default 250. */
  readonly lingerMs?: number | undefined
}

/** One component that uses a stream. */
export interface StreamUser {
  /** False: it listens, but does not want the stream open. */
  readonly enabled: boolean
  readonly settings: () => StreamSettings
}

/** All streams of a client: one for each product and key, however many components use it. */
export interface StreamRegistry {
  /** The stream; made on the first call, and forgotten a linger after its last user. */
  stream(product: Product, key: string): Stream
  snapshot(product: Product, key: string): StreamSnapshot
  /** A component uses the stream. Returns its undo. */
  join(product: Product, key: string, user: StreamUser): () => void
  /** Opens a stream that no user may have enabled, or that was closed or failed. */
  open(product: Product, key: string): void
  close(product: Product, key: string): void
  /** Replaces every live connection by one on another token. */
  replace(): void
  /** Ends all streams. */
  dispose(): void
}

interface Entry {
  readonly stream: Stream
  readonly users: Set<StreamUser>
  /** Opened by a call, not by a user's being there. */
  called: boolean
  wanted: boolean
  /** Closed by a call: stays so, whoever comes and goes, until a call opens it. */
  shut: boolean
  /** The last user's, for the time of the linger. */
  settings: () => StreamSettings
  linger: TimerHandle | undefined
}

const NO_SETTINGS = (): StreamSettings => ({})

/** The page was surely away: what waits need wait no longer. A focus or a glance proves nothing. */
const URGENT: ReadonlySet<WakeReason> = new Set<WakeReason>(['online', 'pageshow', 'resume'])

export function createStreamRegistry(options: StreamRegistryOptions): StreamRegistry {
  const { platform, lingerMs = 250 } = options
  const entries = new Map<string, Entry>()
  let stopListening: (() => void) | undefined

  options.hosts.watchHosts({
    onLost: () => stepAll({ type: 'suspend' }),
    onFound: () => stepAll({ type: 'wake', urgent: true, slept: false }),
  })

  const sleep = createSleepWatch(platform, () => stepAll({ type: 'wake', urgent: true, slept: true }))

  function stepAll(input: StreamInput): void {
    for (const { stream } of entries.values()) stream.step(input)
  }

  function listen(): () => void {
    sleep.start()
    const undos = [
      platform.onWake((reason) => stepAll({ type: 'wake', urgent: URGENT.has(reason), slept: sleep.look() })),
      platform.onSuspend(() => stepAll({ type: 'suspend' })),
      () => sleep.stop(),
    ]
    return () => undos.forEach((undo) => undo())
  }

  function entryOf(product: Product, key: string): Entry {
    const name = nameOf(product, key)
    const found = entries.get(name)
    if (found) return found
    const entry: Entry = {
      stream: createStream({
        product,
        key,
        tokens: options.tokens(product),
        platform,
        checkHandshake: options.checkHandshake,
        emit: options.emit,
        openSocket: options.openSocket,
        settings: () => entry.settings(),
      }),
      users: new Set(),
      called: false,
      wanted: false,
      shut: false,
      settings: NO_SETTINGS,
      linger: undefined,
    }
    entries.set(name, entry)
    stopListening ??= listen()
    lingerOn(name, entry)
    return entry
  }

  function lingerOn(name: string, entry: Entry): void {
    entry.linger = platform.setTimeout(() => forget(name, entry), lingerMs)
  }

  function forget(name: string, entry: Entry): void {
    entries.delete(name)
    entry.stream.step({ type: 'release' })
    if (entries.size > 0) return
    stopListening?.()
    stopListening = undefined
  }

  /** Opens and releases when the users' mind has changed. */
  function review(entry: Entry): void {
    const wanted = entry.called || [...entry.users].some(({ enabled }) => enabled)
    if (wanted === entry.wanted) return
    entry.wanted = wanted
    if (!entry.shut) entry.stream.step({ type: wanted ? 'open' : 'release' })
  }

  return {
    stream: (product, key) => entryOf(product, key).stream,
    snapshot: (product, key) => entries.get(nameOf(product, key))?.stream.snapshot() ?? IDLE,
    join(product, key, user) {
      const entry = entryOf(product, key)
      platform.clearTimeout(entry.linger)
      entry.users.add(user)
      entry.settings = firstOf(entry.users).settings
      review(entry)
      return () => {
        entry.users.delete(user)
        if (entry.users.size === 0) {
          entry.called = false
          lingerOn(nameOf(product, key), entry)
        } else {
          entry.settings = firstOf(entry.users).settings
          review(entry)
        }
      }
    },
    open(product, key) {
      const entry = entryOf(product, key)
      entry.called = entry.wanted = true
      entry.shut = false
      entry.stream.step({ type: 'open' })
    },
    close(product, key) {
      const entry = entries.get(nameOf(product, key))
      if (!entry) return
      entry.called = false
      entry.shut = true
      entry.stream.step({ type: 'close' })
    },
    replace: () => stepAll({ type: 'wake', urgent: true, slept: true }),
    dispose() {
      for (const [name, entry] of entries) {
        platform.clearTimeout(entry.linger)
        forget(name, entry)
      }
    },
  }
}

function nameOf(product: Product, key: string): string {
  return `${product} ${key}`
}

function firstOf(users: Set<StreamUser>): StreamUser {
  return users.values().next().value as StreamUser
}
