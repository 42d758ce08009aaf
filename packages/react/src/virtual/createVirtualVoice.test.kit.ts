import type { VoiceEvent } from '../events/events.js'
import type { Platform, TimerHandle } from '../platform/platform.js'
import {
  clientOf,
  createVoiceClient,
  type VoiceClient,
  type VoiceClientOptions,
} from '../client/createVoiceClient.js'
import { createVirtualPlatform } from './createVirtualPlatform.test.kit.js'
import { createScriptedService } from './createScriptedService.test.kit.js'

type ServiceOptions = Parameters<typeof createScriptedService>[0]

export interface VirtualVoiceOptions extends Pick<
  ServiceOptions,
  'ttlMs' | 'handshakeMs' | 'responseMs' | 'usage'
> {
  /** Randomness, uniform in [0, 1). Default: always 0.5. */
  readonly random?: (() => number) | undefined
  readonly vitals?: VoiceClientOptions['vitals']
  /** Timers of a hidden page run once a minute, as in Chrome. Default: in time. */
  readonly throttles?: boolean | undefined
}

const MINUTE_MS = 60_000

export type VirtualVoice = ReturnType<typeof createVirtualVoice>

/**
 * A voice client without a network, in virtual time.
 *
 * @example
 * const voice = createVirtualVoice()
 * render(<VoiceProvider client={voice.client}><Dictation /></VoiceProvider>)
 * await act(() => voice.advance(100))
 * voice.service.connections[0]?.send('{"text":"hello"}')
 */
export function createVirtualVoice({ random, vitals, throttles, ...options }: VirtualVoiceOptions = {}) {
  const platform = createVirtualPlatform({ random })
  const events: VoiceEvent[] = []
  let slept = 0
  /** Real milliseconds since the beginning, including sleep. */
  const now = (): number => platform.now() + slept
  const timers = new Set<TimerHandle>()
  let isThrottled = false
  platform.watchVisibility?.((isVisible) => (isThrottled = throttles === true && !isVisible))
  const own: Platform = {
    ...platform,
    setTimeout(callback, delayMs) {
      const at = platform.now() + delayMs
      const lateMs = isThrottled ? Math.ceil(at / MINUTE_MS) * MINUTE_MS - at : 0
      const handle = platform.setTimeout(() => {
        timers.delete(handle)
        callback()
      }, delayMs + lateMs)
      timers.add(handle)
      return handle
    },
    clearTimeout(handle) {
      if (handle !== undefined) timers.delete(handle)
      platform.clearTimeout(handle)
    },
  }
  const present = () => clientOf(client).identity
  const service = createScriptedService({ ...options, platform, now, present })
  const client: VoiceClient = createVoiceClient({
    url: '/api/voice',
    vitals,
    fetch: service.fetch,
    openSocket: service.openSocket,
    platform: own,
    onEvent: (event) => events.push(event),
  })

  return {
    /** For `VoiceProvider`. */
    client,
    /** The service of the client: plan faults here, and read what arrived. */
    service,
    /** Every event of the client. */
    events: events as readonly VoiceEvent[],
    now,
    /** Lets time pass. In a component test: `await act(() => voice.advance(1_000))`. */
    advance: platform.advance,
    /** The machine sleeps, and the page wakes up. */
    async sleep(ms: number): Promise<void> {
      slept += ms
      platform.sleep(ms)
      platform.wake('visible')
      await platform.advance(0)
    },
    setOnline: platform.setOnline,
    setVisible: platform.setVisible,
    wake: platform.wake,
    suspend: platform.suspend,
    /** Sets the wall clock forward or back. */
    jumpClock: (ms: number): void => platform.setWall(platform.wallNow() + ms),
    /** Timers of the client that are armed. */
    get timers(): number {
      return timers.size
    },
  }
}
