import type { VoiceEvent } from '../client/events.js'
import type { Platform, SuspendReason, TimerHandle, WakeReason } from '../platform/platform.js'
import { createVoiceClient, type VoiceClient } from '../createVoiceClient.js'
import { createLazyStreams } from '../stream/createLazyStreams.js'
import { openStreams } from '../stream/streamsOf.js'
import { createVirtualPlatform } from './createVirtualPlatform.js'
import { createScriptedService } from './createScriptedService.js'
import type { ScriptedService } from './ScriptedService.js'

export interface TestVoiceOptions {
  /** Life of a token in milliseconds. Default 180 minutes. */
  ttlMs?: number | undefined
  /** Time that a handshake takes. Default 5. */
  handshakeMs?: number | undefined
  /** Time that a response of the BFF takes. Default 10. */
  answerMs?: number | undefined
  /** Randomness, uniform in [0, 1). Default: always 0.5. */
  random?: (() => number) | undefined
}

/** A voice client without a network, on virtual time. */
export interface TestVoice {
  /** For `VoiceProvider`. */
  readonly client: VoiceClient
  /** The service of the client: plan faults here, and read what arrived. */
  readonly service: ScriptedService
  /** Every event of the client. */
  readonly events: readonly VoiceEvent[]
  /** Lets time pass. In a component test: `await act(() => voice.advance(1_000))`. */
  advance(ms: number): Promise<void>
  /** The machine sleeps, and the page wakes up. */
  sleep(ms: number): Promise<void>
  /** True milliseconds since the beginning, the sleep included. */
  now(): number
  setOnline(online: boolean): void
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
 * const voice = createTestVoice()
 * render(<VoiceProvider client={voice.client}><Dictation /></VoiceProvider>)
 * await act(() => voice.advance(100))
 * voice.service.connections[0]?.send('{"text":"hello"}')
 */
export function createTestVoice(options: TestVoiceOptions = {}): TestVoice {
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
  const service = createScriptedService({ ...options, platform, now })
  const client = createVoiceClient({
    url: '/api/voice',
    fetch: service.fetch,
    openSocket: service.openSocket,
    platform: own,
    // The code of streams is here from the start, so that tests do not wait for it.
    parts: new Map([[createLazyStreams, openStreams]]),
    onEvent: (event) => events.push(event),
  })

  return {
    client,
    service,
    events,
    now,
    advance: (ms) => platform.advance(ms),
    async sleep(ms) {
      slept += ms
      platform.sleep(ms)
      platform.wake('visible')
      await platform.advance(0)
    },
    setOnline: (online) => platform.setOnline(online),
    wake: (reason) => platform.wake(reason),
    suspend: (reason) => platform.suspend(reason),
    jumpClock: (ms) => platform.setWall(platform.wallNow() + ms),
    get timers() {
      return timers.size
    },
  }
}
