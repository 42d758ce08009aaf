/// <reference lib="esnext.disposable" preserve="true" />
import { createBff, type Grant } from '@stagepass/bff/fetch'
import {
  type BrowserEmulator,
  type BrowserEmulatorOptions,
  createBrowserEmulator,
} from '@stagepass/emulator/browser'
import type { VoiceEvent } from '../events/events.js'
import { clientOf, createVoiceClient, type VoiceClient } from '../client/createVoiceClient.js'
import { VoiceError } from '../errors/VoiceError.js'
import { countFrom } from './countFrom.js'
import {
  createScriptedSound,
  type ScriptedLoudspeaker,
  type ScriptedMicrophone,
} from './createScriptedSound.js'
import { actsInAct, inAct } from './inAct.js'

/** Argument of `createTestVoice`. Each option has a default. */
export interface TestVoiceOptions {
  /** The user of the login session; `null`: no user is signed in. Default `'ada'`. */
  readonly user?: string | null | undefined
  /** What lists and details get. Default: none. Later: `voice.emulator.meetings`. */
  readonly meetings?: BrowserEmulatorOptions['meetings']
  /** What goes wrong at the service, from the start. Later: `voice.emulator.use(fault)`. */
  readonly faults?: BrowserEmulatorOptions['faults']
  /**
   * Text of a `.voicetape`, as `recordVoice` of `@stagepass/react/devtools` returns it: each handshake plays
   * the next one of the tape. Default: the products of the emulator.
   */
  readonly tape?: BrowserEmulatorOptions['tape']
  /** With `tape`: sound comes in chunks of other sizes, the same ones for the same number. */
  readonly rechunk?: BrowserEmulatorOptions['rechunk']
  /** The minutes of the user, as a grant has them: `{ minutesPerDay: 20 }`. Default: nothing is counted. */
  readonly usage?: Grant['usage']
  /** The minutes of all users of the account together: `{ minutesPerMonth: 0 }`. Default: no limit. */
  readonly accountUsage?: Grant['accountUsage']
  /** Shares this number of simultaneous sessions among the streams. Default: each stream opens at once. */
  readonly sessions?: { readonly max: number } | undefined
  /** Minutes of each product that the user has used today already, of those in `usage`. Default 0. */
  readonly usedMinutes?: number | undefined
  /**
   * What the user may see of the meetings, as a grant has it: `{ ownership: 'mine', fields: ['title'] }`.
   * `null`: no meetings. Default: all of them.
   */
  readonly meetingsGrant?: Pick<NonNullable<Grant['meetings']>, 'ownership' | 'fields'> | null | undefined
}

/** The voice service, a BFF and a voice client, all in the page. */
export interface TestVoice extends Disposable {
  /** For `VoiceProvider`. */
  readonly client: VoiceClient
  /** The voice service: rows, open sockets, what arrived, faults. */
  readonly emulator: BrowserEmulator
  /** Every event of the client. */
  readonly events: readonly VoiceEvent[]
  /** The microphone of the page: what it hears. */
  readonly microphone: ScriptedMicrophone
  /** The loudspeaker of the page: what was heard. */
  readonly loudspeaker: ScriptedLoudspeaker
  /**
   * Signs a user in (`null`: signs out), in the login session and in the client. If a `VoiceProvider` gives
   * the user, change `voice.user` and its `user` instead.
   */
  setUser(user: string | null): void
  /** The user of the login session, whatever the page says. */
  user: string | null
  /** Closes the service, and gives the page its own sound back. `using voice = createTestVoice()` does it. */
  close(): void
}

/**
 * A voice client on the emulator, with the real BFF between them, for tests of components and for stories.
 * There is no network. It uses the timers of the page. If your test runner fakes them, move time with the
 * runner, by seconds: a response of the service also takes a turn of the real page.
 *
 * A published Storybook is built for production: it also needs
 * `globalThis.STAGEPASS_EMULATOR_IN_PRODUCTION = '1'`.
 *
 * Needs `@stagepass/bff` and `@stagepass/emulator` beside this package. The sound of the page
 * (`AudioContext`, `AudioWorkletNode`, `navigator.mediaDevices`) is scripted until `close()`.
 *
 * @example
 * using voice = createTestVoice({ meetings: [{ id: 'm1', title: 'Roadmap' }] })
 * render(<VoiceProvider client={voice.client}><Dictation /></VoiceProvider>)
 * await screen.findByText('open')
 */
export function createTestVoice(options: TestVoiceOptions = {}): TestVoice {
  const { user = 'ada', meetings = [], faults, tape, rechunk, meetingsGrant = {} } = options
  const emulator = createBrowserEmulator({ meetings, faults, tape, rechunk, allowProduction: true })
  const sound = createScriptedSound()
  const events: VoiceEvent[] = []
  const day = countFrom(options.usedMinutes ?? 0, options.usage)
  const bff = createBff({
    ...emulator.bffOptions,
    logger: false,
    sessions: options.sessions,
    authorize: () =>
      voice.user === null
        ? null
        : {
            user: voice.user,
            usage: day.usage,
            accountUsage: options.accountUsage,
            meetings: meetingsGrant
              ? { ...meetingsGrant, credential: emulator.meetingsCredential }
              : undefined,
          },
  })
  const client = createVoiceClient({
    ...emulator.clientOptions({ fetch: async (request) => day.answer(request, await bff.fetch(request)) }),
    onEvent: (event) => events.push(event),
  })

  const voice: TestVoice = {
    client,
    emulator,
    events,
    microphone: actsInAct(sound.microphone),
    loudspeaker: actsInAct(sound.loudspeaker),
    user,
    setUser(next) {
      voice.user = next
      inAct(() => client.setUser(next))
    },
    close() {
      // The page is still there. A reset would begin again, and open its streams.
      inAct(() => clientOf(client).end(new VoiceError('ABORTED', { retryable: false })))
      void bff.close()
      emulator.close()
      sound.close()
    },
    [Symbol.dispose]: () => voice.close(),
  }
  return voice
}
