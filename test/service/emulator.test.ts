import { ASSUMED_MEETINGS_WIRE } from '@stagepass/contract'
import { createEmulator, type EmulatorOptions, fail, KEY_STATES, type KeyState } from '@stagepass/emulator'
import { describeService } from './describeService.js'
import type { Service } from './Service.js'

/*
 * The emulator keeps every promise of the contract, in each of the three ways in which a service may refuse a
 * handshake.
 */

const hidden = { publicLink: 'by-link', workspace: 'of-workspace', processing: 'in-work' }
const TRANSCRIPT_WORD = 'xylophone'

const listed = Array.from({ length: 24 }, (_, index) => ({
  id: `m${index + 1}`,
  title: `Workshop ${index + 1}`,
  created_at: new Date(Date.UTC(2026, 2, index + 1, 10)).toISOString(),
  duration: 600 * ((index % 3) + 1),
  visibility: index % 4 === 0 ? ('shared' as const) : ('owned' as const),
  tags: index % 5 === 0 ? ['tag-a'] : [],
  transcript: { segments: [{ text: index === 0 ? TRANSCRIPT_WORD : 'hello' }] },
}))

const meetings = [
  ...listed,
  { id: hidden.publicLink, visibility: 'public-link' as const },
  { id: hidden.workspace, visibility: 'workspace' as const },
  { id: hidden.processing, processing: true },
]

const HANDSHAKE = 'WebSocket endpoints'
const NOON = Date.UTC(2026, 3, 1, 12)

async function start(options: EmulatorOptions): Promise<Service> {
  const emulator = await createEmulator({
    ...options,
    // The requests of a test count as sent in one moment, also on a busy machine.
    now: () => NOON,
    meetings,
    maxSessions: 4,
  })
  return {
    ...emulator,
    meetings: {
      url: emulator.meetingsUrl,
      credential: emulator.meetingsCredential,
      wire: ASSUMED_MEETINGS_WIRE,
    },
    fetch,
    waitForQuiet: () => Promise.resolve(),
    inside: {
      refuseWith(code) {
        const state = Object.entries(KEY_STATES).find(([, ofState]) => ofState === code)?.[0]
        if (state !== undefined) return emulator.keys[state as KeyState]
        emulator.use(fail('CACHE_UNAVAILABLE', { times: 1 }))
        return emulator.apiKey
      },
      passTime: (ms) => emulator.clock.advance(ms),
      hidden,
      transcriptWord: TRANSCRIPT_WORD,
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

describeService('the emulator', () => start({}))
describeService('an emulator that refuses by a frame', () => start({ refuseBy: 'frame' }), [HANDSHAKE])
describeService('an emulator that refuses by a close', () => start({ refuseBy: 'close' }), [HANDSHAKE])
