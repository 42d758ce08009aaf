import { refuse } from '@stagepass/emulator/browser'
import type { Counts, Side, User } from './Side.js'

/** The result of a side. */
export interface Verdict {
  readonly good: boolean
  readonly text: string
}

/** One side while it runs. */
export interface Stage {
  readonly side: Side
  /** The text that its page shows. */
  readonly element: HTMLElement
  readonly setUser: (user: User) => void
  /** Resolves as soon as it returns true; never, if the stage is left before. */
  readonly until: (isSo: () => boolean) => Promise<void>
}

export interface Failure {
  readonly button: string
  /** Is it about lists of meetings, in place of captions? */
  readonly lists?: boolean
  /** The counts to show: a name and a value each. */
  readonly shown: (counts: Counts) => readonly (readonly [string, number])[]
  readonly play: (stage: Stage) => Promise<void>
  /** Undefined as long as nothing can be said. */
  readonly judge: (stage: Stage) => Verdict | undefined
}

const good = (text: string): Verdict => ({ good: true, text })
const bad = (text: string): Verdict => ({ good: false, text })

const isOpen = ({ side }: Stage): boolean => side.emulator.sockets.length > 0
const caption = ({ element }: Stage): string => element.querySelector('.caption')?.textContent ?? ''
const press = ({ element }: Stage): void => element.querySelector('button')?.click()

function drop({ side: { emulator } }: Stage): void {
  for (const socket of emulator.sockets) socket.drop()
}

async function speak(stage: Stage): Promise<void> {
  await stage.until(() => isOpen(stage))
  press(stage)
  await stage.until(() => caption(stage).length > 20)
}

const handshakes: Failure['shown'] = ({ opened, refused, tokens }) => [
  ['Tokens', tokens],
  ['WebSockets opened', opened],
  ['Handshakes refused', refused],
]

export const FAILURES = {
  sleep: {
    button: 'Let the laptop sleep',
    shown: handshakes,
    async play(stage) {
      await stage.until(() => isOpen(stage))
      const { tokens, clock } = stage.side.emulator
      for (const { sessionKey } of tokens.all()) tokens.update(sessionKey, { expiresAtMs: clock.now() })
      drop(stage)
    },
    judge(stage) {
      if (isOpen(stage) && stage.side.counts.opened > 1) return good('Open again, with a new token.')
      return stage.side.counts.refused > 2 ? bad('Tries the expired token again and again.') : undefined
    },
  },
  refused: {
    button: 'Refuse every handshake',
    shown: handshakes,
    async play(stage) {
      await stage.until(() => isOpen(stage))
      stage.side.emulator.use(refuse(402, { on: 'handshake' }))
      drop(stage)
    },
    judge({ element, side }) {
      if (element.querySelector('[role=alert]')) return good('Stopped, with an error for the user.')
      return side.counts.refused > 3 ? bad('Sees code 1006, and retries forever.') : undefined
    },
  },
  user: {
    button: 'Ada leaves, Ben signs in',
    shown: handshakes,
    async play(stage) {
      await speak(stage)
      stage.side.mute()
      stage.setUser('ben')
      await stage.until(() => stage.element.textContent.includes('Signed in: ben'))
    },
    judge(stage) {
      if (caption(stage) === '' && stage.side.socketOf() === 'ben')
        return good("Ben's own WebSocket, and nothing of Ada's.")
      return stage.side.socketOf() === 'ada' && caption(stage) !== ''
        ? bad("Ben reads Ada's words, and speaks on her token.")
        : undefined
    },
  },
  lastWords: {
    button: 'Stop in mid-sentence',
    shown: handshakes,
    async play(stage) {
      await speak(stage)
      press(stage)
    },
    judge(stage) {
      if (isOpen(stage)) return undefined
      return caption(stage).endsWith('.')
        ? good('Closed after the end of the sentence.')
        : bad('Closed before the end of the sentence came.')
    },
  },
  budget: {
    button: 'Ada sends 28 searches, Ben one',
    lists: true,
    shown: ({ limited }) => [['Refused by the rate limit', limited]],
    play: () => Promise.resolve(),
    judge({ element, side }) {
      const bens = element.querySelector('.bens')?.textContent ?? ''
      if (bens.includes('error')) return bad("Ben's only request is refused.")
      const waits = element.querySelector('.adas')?.textContent.includes('…') ?? true
      return bens.includes('found') && !waits && side.counts.limited === 0
        ? good('Ben did not wait, and nothing was refused.')
        : undefined
    },
  },
} as const satisfies Readonly<Record<string, Failure>>

export type FailureName = keyof typeof FAILURES
