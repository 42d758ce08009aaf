import { readFileSync } from 'node:fs'

/* Lists of options for the READMEs, from the comments of their types. `params.ts` has the pages. */

/** Properties of one interface. */
interface Part {
  /** Path of its file, below `packages/`. */
  readonly file: string
  readonly type: string
  /** Name of the option that holds these, such as `meetings`. */
  readonly inside?: string
  /** Properties that are not listed: only tests set them, or their own list says more. */
  readonly without?: readonly string[]
}

const root = new URL('../../packages/', import.meta.url)

/** Beginnings of sentences about a value, a condition or the default of an option. */
const NEEDED = /^(?:`'|Default|Needed|It needs)/

/**
 * What the option does, its values, what it needs, and its default, in one line without citations of other
 * pages. The API reference has the whole comment.
 */
function plain(comment: string): string {
  const text = (comment.split(/\n\s*\*\s*\n/)[0] ?? '')
    .replaceAll(/\s+(?:\* )?/g, ' ')
    .replaceAll(/ ?\((?:Assumptions|Contract): [^)]+\)\.?/g, '')
    .trim()
  const [first = '', ...others] = text.split(/(?<=\.) (?=[A-Z`])/)
  return [first, ...others.filter((sentence) => NEEDED.test(sentence))].join(' ')
}

const MEMBER = /^(?: {2}\/\*\*((?:(?!\*\/)[^])+)\*\/\n)? {2}(?:readonly )?(\w+)(\??)[:(<]/gm

function linesOf({ file, type, inside, without = [] }: Part): string[] {
  const text = readFileSync(new URL(file, root), 'utf8')
  const start = text.search(new RegExp(`\\binterface ${type}\\b`))
  if (start === -1) throw new Error(`Failed to find the interface ${type} in packages/${file}.`)
  const body = text.slice(text.indexOf('{\n', start), text.indexOf('\n}', start))
  return [...body.matchAll(MEMBER)].flatMap(([, comment, name = '', optional]) => {
    if (without.includes(name)) return []
    if (comment === undefined)
      throw new Error(`Failed to list the options of ${type}: ${name} has no comment.`)
    const place = inside === undefined ? '' : `${inside}.`
    return [`- \`${place}${name}\`${optional ? '' : ' (required)'}: ${plain(comment)}`]
  })
}

const list = (...parts: readonly Part[]): string => parts.flatMap(linesOf).join('\n')

const BFF = 'bff/src/settings/BffOptions.ts'
const GRANT = 'bff/src/grant/Grant.ts'
const STREAM = 'react/src/stream/machine/settings.ts'

/** The lists of each README, by the names of their sections. */
export const OPTION_LISTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'packages/bff/README.md': {
    options: list(
      { file: BFF, type: 'CommonOptions', without: ['meetings', 'limits', 'platform'] },
      { file: BFF, type: 'MeetingsOptions', inside: 'meetings' },
      { file: BFF, type: 'LimitsOptions', inside: 'limits' },
    ),
    grant: list(
      { file: GRANT, type: 'Grant' },
      { file: GRANT, type: 'UsageGrant', inside: 'usage' },
      { file: GRANT, type: 'MeetingsGrant', inside: 'meetings' },
    ),
  },
  'packages/react/README.md': {
    client: list({
      file: 'react/src/client/createVoiceClient.ts',
      type: 'VoiceClientOptions',
      without: ['platform', 'openSocket'],
    }),
    stream: list(
      { file: 'react/src/stream/useStream.ts', type: 'UseStreamOptions' },
      { file: STREAM, type: 'StreamSettings', without: ['setup'] },
    ),
    session: list({ file: 'react/src/audio/useVoiceSession.ts', type: 'UseVoiceSessionOptions' }),
  },
  'packages/audio/README.md': {
    microphone: list({ file: 'audio/src/microphone/microphoneOptions.ts', type: 'MicrophoneOptions' }),
    playback: list({ file: 'audio/src/playback/PlaybackOptions.ts', type: 'PlaybackOptions' }),
    gate: list({ file: 'audio/src/speech/createSpeechGate.ts', type: 'SpeechGateOptions' }),
  },
  'packages/budget/README.md': {
    options: list({
      file: 'budget/src/BudgetOptions.ts',
      type: 'BudgetOptions',
      without: ['clock', 'random'],
    }),
    sessions: list({
      file: 'budget/src/SessionsOptions.ts',
      type: 'SessionsOptions',
      without: ['clock'],
    }),
  },
  'packages/emulator/README.md': {
    options: list(
      { file: 'emulator/src/node/options.ts', type: 'NodeOptions', without: ['environment'] },
      { file: 'emulator/src/core/options.ts', type: 'CoreOptions' },
    ),
  },
}
