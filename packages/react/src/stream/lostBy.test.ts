import { expect, it, vi } from 'vitest'
import { LOST_BY, type LostBy } from '../errors/lostBy.js'
import type { VirtualVoice, VirtualVoiceOptions } from '../virtual/createVirtualVoice.test.kit.js'
import { eventsOf, openStream } from './joinStream.test.kit.js'
import type { StreamSettings } from './machine/settings.js'
import { speakInto, WITH_TIMES } from './resend/speakingPage.test.kit.js'

interface Loss {
  readonly settings?: StreamSettings
  readonly options?: VirtualVoiceOptions
  readonly prepare?: (service: VirtualVoice['service']) => void
  /** Loses the open connection. */
  readonly lose: (page: ReturnType<typeof openStream>) => unknown
}

const MINUTE_MS = 60_000

const losses: { readonly [By in LostBy]: Loss } = {
  close: { lose: ({ voice }) => voice.service.connections[0]?.drop() },
  refusal: { lose: ({ voice }) => voice.service.connections[0]?.close(4503, 'try again') },
  expiry: {
    options: { ttlMs: 5 * MINUTE_MS },
    prepare: (service) => (service.cutAtExpiry = true),
    lose: ({ voice }) => voice.advance(6 * MINUTE_MS),
  },
  stall: {
    lose({ voice, stream }) {
      voice.service.connections[0]?.stall()
      stream.send('into the void')
      return voice.advance(7_000)
    },
  },
  silence: {
    settings: { reconnect: { silenceMs: 3_000 } },
    lose: ({ voice }) => voice.advance(5_000),
  },
  sleep: { lose: ({ voice }) => voice.sleep(2 * 60 * MINUTE_MS) },
  unanswered: {
    settings: WITH_TIMES,
    prepare: (service) => (service.maxSessions = 1),
    async lose(page) {
      await vi.dynamicImportSettled()
      const say = speakInto(page)
      await say(2_000)
      page.voice.service.connections[0]?.send('1000…')
      await say(20_000)
    },
  },
  away: { lose: ({ voice }) => voice.suspend('freeze') },
  rollover: {
    settings: { rollover: 'seamless' },
    options: { ttlMs: 5 * MINUTE_MS },
    prepare: (service) => (service.maxSessions = 1),
    lose: ({ voice }) => voice.advance(6 * MINUTE_MS),
  },
}

it.each(Object.entries(losses) as [LostBy, Loss][])(
  'says that a connection was lost by %s',
  async (by, { settings, options, prepare, lose }) => {
    const page = openStream(settings, options)
    const { voice, stream } = page
    prepare?.(voice.service)
    const reasons: unknown[] = []
    stream.watch(() => reasons.push(stream.snapshot().failureReason))
    await voice.advance(100)
    expect(stream.snapshot().status).toBe('open')
    await lose(page)
    expect(eventsOf(voice, 'stream.reconnecting')[0]?.lostBy).toBe(by)
    expect(reasons).toContainEqual(
      expect.objectContaining({ lostBy: by, hint: expect.stringContaining(LOST_BY[by] as string) }),
    )
  },
)
