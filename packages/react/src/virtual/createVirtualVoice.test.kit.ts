import type { VoiceEvent } from '../events/events.js'
import type { Platform, SuspendReason, TimerHandle, WakeReason } from '../platform/platform.js'
import { clientOf, createVoiceClient, type VoiceClient } from '../client/createVoiceClient.js'
import { createVirtualPlatform } from './createVirtualPlatform.test.kit.js'
import { createUserWatch } from './createUserWatch.test.kit.js'
import { createScriptedService } from './createScriptedService.test.kit.js'
import type { ScriptedService } from './ScriptedService.test.kit.js'

/** Options of `createVirtualVoice`. Each has a default. */
export interface VirtualVoiceOptions {
  /** Life of a token in milliseconds. Default 180 minutes. */
  ttlMs?: number | undefined
  /** Time that a handshake takes. Default 5. */
  handshakeMs?: number | undefined
  /** Time that a response of the BFF takes. Default 10. */
  responseMs?: number | undefined
  /**
   * The rows for lists and details, or a function of the user. Default: none. To change them later:
   * `voice.service.meetings`.
   */
  meetings?: ScriptedService['meetings'] | undefined
  /** The tags for `useTags`. Default: none. To change them later: `voice.service.tags`. */
  tags?: ScriptedService['tags'] | undefined
  /** The minutes for `useUsage`. Default: nothing is counted. To change them later: `voice.service.usage`. */
  usage?: ScriptedService['usage'] | undefined
  /** Randomness, uniform in [0, 1). Default: always 0.5. */
  random?: (() => number) | undefined
}

/** A voice client without a network, in virtual time. */
export interface VirtualVoice {
  /** For `VoiceProvider`. */
  readonly client: VoiceClient
  /** The service of the client: plan faults here, and read what arrived. */
  readonly service: ScriptedService
  /** Every event of the client. */
  readonly events: readonly VoiceEvent[]
  /**
   * Signs a user in (`null`: signs out), at the service and in the client. If a `VoiceProvider` has a `user`,
   * change `service.user` and that `user` instead.
   */
  setUser(user: string | null): void
  /**
   * Throws if a request, a token, a message or an open connection of one user has reached another. The error
   * was also thrown at its place, but the code there may have caught it. `advance` and `setUser` call this;
   * call it in `afterEach` for later actions.
   */
  checkUsers(): void
  /** Lets time pass. In a component test: `await act(() => voice.advance(1_000))`. */
  advance(ms: number): Promise<void>
  /** The machine sleeps, and the page wakes up. */
  sleep(ms: number): Promise<void>
  /** Real milliseconds since the beginning, including sleep. */
  now(): number
  setOnline(online: boolean): void
  /** The page is hidden, or visible again. */
  setVisible(isVisible: boolean): void
  wake(reason: WakeReason): void
  suspend(reason: SuspendReason): void
  /** Sets the wall clock forward or back. */
  jumpClock(ms: number): void
  /** Timers that the client has armed. */
  readonly timers: number
}

/**
 * A voice client on a scripted service and a virtual clock, for tests of components that use the hooks.
 *
 * @example
 * const voice = createVirtualVoice({ meetings: [{ id: 'm1', title: 'Roadmap' }] })
 * render(<VoiceProvider client={voice.client}><Dictation /></VoiceProvider>)
 * await act(() => voice.advance(100))
 * voice.service.connections[0]?.send('{"text":"hello"}')
 */
export function createVirtualVoice(options: VirtualVoiceOptions = {}): VirtualVoice {
  const platform = createVirtualPlatform({ random: options.random })
  const events: VoiceEvent[] = []
  let slept = 0
  const now = (): number => platform.now() + slept
  const timers = new Set<TimerHandle>()
  const own: Platform = {
    ...platform,
    setTimeout(callback, delayMs) {
      const handle = platform.setTimeout(() => {
        timers.delete(handle)
        callback()
      }, delayMs)
      timers.add(handle)
      return handle
    },
    clearTimeout(handle) {
      if (handle !== undefined) timers.delete(handle)
      platform.clearTimeout(handle)
    },
  }
  const watch = createUserWatch(() => clientOf(client).identity)
  const service = createScriptedService({ ...options, platform, now, watch })
  const client: VoiceClient = createVoiceClient({
    url: '/api/voice',
    fetch: service.fetch,
    openSocket: service.openSocket,
    platform: own,
    onEvent(event) {
      events.push(event)
      if (event.type === 'client.reset') leave()
    },
  })
  let { identity } = clientOf(client)

  /** The previous user has left: no connection of that user is open any longer. */
  function leave(): void {
    const left = identity
    identity = clientOf(client).identity
    watch.leave(left)
    for (const connection of service.attempts) {
      if (connection.identity === left && connection.status !== 'closed')
        watch.check(left, 'There is still a connection')
    }
  }

  return {
    client,
    service,
    events,
    now,
    setUser(user) {
      service.user = user
      client.setUser(user)
      watch.throwFound()
    },
    checkUsers: watch.throwFound,
    async advance(ms) {
      await platform.advance(ms)
      watch.throwFound()
    },
    async sleep(ms) {
      slept += ms
      platform.sleep(ms)
      platform.wake('visible')
      await platform.advance(0)
    },
    setOnline: (online) => platform.setOnline(online),
    setVisible: (isVisible) => platform.setVisible(isVisible),
    wake: (reason) => platform.wake(reason),
    suspend: (reason) => platform.suspend(reason),
    jumpClock: (ms) => platform.setWall(platform.wallNow() + ms),
    get timers() {
      return timers.size
    },
  }
}
