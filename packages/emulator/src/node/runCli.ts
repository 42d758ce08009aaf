import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createEmulator, type Emulator } from './createEmulator.js'
import { LIMITERS } from '../core/meetings/limiter.js'
import type { EmulatorOptions } from './options.js'
import { REFUSAL_FORMS, REFUSALS } from '../core/sockets/formatRefusal.js'
import type { RecordedRequest } from '../core/request/requestLog.js'

const DEFAULT_PORT = 8787

/** The options: the form of the value, if there is one, and the help text. */
const OPTIONS = {
  port: ['<number>', `TCP port; 0 for any free one. Default ${DEFAULT_PORT}.`],
  host: ['<address>', 'Address to listen on. Default 127.0.0.1: only this machine.'],
  seed: ['<number>', 'Seed of keys, ids and meetings. Default 1.'],
  limiter: ['<kind>', `How the meetings rate limit is counted: ${LIMITERS.join(', ')}. Default sliding.`],
  'refuse-by': ['<way>', `How a handshake is refused: ${REFUSALS.join(', ')}. Default status.`],
  'refusal-form': ['<form>', `Form of the refusal: ${REFUSAL_FORMS.join(', ')}.`],
  'max-sessions': ['<number>', 'Simultaneous sessions. Default 1000.'],
  'cut-at-expiry': ['', 'Close live sockets when their token expires.'],
  echo: ['', 'Send every message back unchanged, for all products.'],
  tape: ['<file>', 'Play a .voicetape: each handshake plays the next one of the tape.'],
  rechunk: ['<seed>', 'With --tape: sound in chunks of other sizes.'],
  latency: ['<ms>', 'Simulated round trip. Default 0.'],
  jitter: ['<ms>', 'Up to this much is added at random. Default 0.'],
  keys: ['', 'Also print the built-in API key of each state.'],
  quiet: ['', 'Do not print the requests.'],
  'allow-production': ['', 'With STAGEPASS_EMULATOR_IN_PRODUCTION=1: run even if NODE_ENV is production.'],
  help: ['', 'Print this help.'],
} as const
type Option = keyof typeof OPTIONS

const HELP = `Usage: stagepass-emulator [options]

An emulator of the realtime voice service, with real HTTP and WebSockets. Prints the variables that a BFF needs.

${Object.entries(OPTIONS)
  .map(([name, [value, help]]) => `  ${`--${name} ${value}`.padEnd(25)}${help}\n`)
  .join('')}`

export interface CliInput {
  /** The arguments without the runtime and the script. */
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Prints the output: the help and the variables. */
  readonly print: (text: string) => void
  /** Prints everything else: requests and errors. */
  readonly printError: (text: string) => void
}

/** The exit code, with the running emulator if one was started. */
export interface CliResult {
  readonly exitCode: number
  readonly emulator?: Emulator | undefined
}

/**
 * The command line without its process. Exit code 0: the emulator runs, or the help was printed. 1: it cannot
 * start. 2: an unknown option.
 */
export async function runCli({ argv, environment, print, printError }: CliInput): Promise<CliResult> {
  let values: Values
  try {
    values = readArguments(argv)
  } catch (error) {
    printError(
      `Failed to read the command: ${messageOf(error)}.\nRun stagepass-emulator --help for the options.`,
    )
    return { exitCode: 2 }
  }
  if (values.help) {
    print(HELP)
    return { exitCode: 0 }
  }

  try {
    const emulator = await createEmulator({
      ...readOptions(values),
      environment,
      onError: (error) => printError(`The emulator could not answer: ${messageOf(error)}`),
      ...(values.quiet ? {} : { onRequest: (request) => printError(formatRequest(request)) }),
    })
    print(formatVariables(emulator))
    if (values.keys) print(formatKeys(emulator))
    return { exitCode: 0, emulator }
  } catch (error) {
    printError(messageOf(error))
    return { exitCode: 1 }
  }
}

type Values = Readonly<Partial<Record<Option, string | boolean>>>

function readArguments(argv: readonly string[]): Values {
  const options = Object.fromEntries(
    Object.entries(OPTIONS).map(([name, [value]]) => [name, { type: value ? 'string' : 'boolean' } as const]),
  )
  return parseArgs({ args: [...argv], options: { ...options, help: { type: 'boolean', short: 'h' } } }).values
}

/** Converts the values. The emulator checks them. */
function readOptions(values: Values): EmulatorOptions {
  // The casts: `OPTIONS` decides whether a value is a string or a flag.
  const text = (name: Option) => values[name] as string | undefined
  const number = (name: Option) => (values[name] === undefined ? undefined : Number(values[name]))
  const flag = (name: Option) => values[name] === true
  const file = text('tape')
  return {
    port: number('port') ?? DEFAULT_PORT,
    host: text('host'),
    seed: number('seed'),
    limiter: text('limiter') as EmulatorOptions['limiter'],
    refuseBy: text('refuse-by') as EmulatorOptions['refuseBy'],
    refusalForm: text('refusal-form') as EmulatorOptions['refusalForm'],
    maxSessions: number('max-sessions'),
    cutAtExpiry: flag('cut-at-expiry'),
    echo: flag('echo'),
    tape: file === undefined ? undefined : readFileSync(file, 'utf8'),
    rechunk: number('rechunk'),
    latency: { ms: number('latency') ?? 0, jitterMs: number('jitter') },
    allowProduction: flag('allow-production'),
  }
}

/** Text for an .env file: all lines except the variables are comments. */
function formatVariables(emulator: Emulator): string {
  return [
    '# The emulator is running. It is not for real users. Stop it with Ctrl-C.',
    `VOICE_API_KEY=${emulator.apiKey}`,
    `VOICE_BASE_URL=${emulator.baseUrl}`,
    `VOICE_STREAMING_URL=${emulator.streamingUrl}`,
    `VOICE_MEETINGS_URL=${emulator.meetingsUrl}`,
    `VOICE_MEETINGS_TOKEN=${emulator.meetingsCredential}`,
  ].join('\n')
}

function formatKeys({ keys }: Emulator): string {
  return [
    '# API keys in each state:',
    ...Object.entries(keys).map(([state, key]) => `# ${state}: ${key}`),
  ].join('\n')
}

/** Without the query, which may contain a session token. */
function formatRequest({ method, path, status, at }: RecordedRequest): string {
  return `${new Date(at).toISOString()} ${method} ${path} ${status ?? '-'}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
