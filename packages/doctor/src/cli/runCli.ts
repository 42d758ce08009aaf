import { parseArgs } from 'node:util'
import { withoutQuotes } from '@stagepass/contract'
import { BFF_NOTICE } from '../checks/bff.js'
import { createRedactor } from '../report/createRedactor.js'
import { formatResult, formatSummary } from '../report/formatReport.js'
import { type RunOptions, runDoctor } from '../runDoctor.js'
import {
  checkSecret,
  type Environment,
  readUrl,
  readVariables,
  readTapeFile,
  readWireFile,
  secretsOf,
  UsageError,
} from '../settings/readVariables.js'
import type { Target } from '../settings/Settings.js'

export interface CliInput extends Pick<RunOptions, 'limits' | 'sleep'> {
  /** The arguments without the runtime and the script. */
  readonly argv: readonly string[]
  readonly environment: Environment
  readonly version: () => string
  readonly write: (text: string) => void
  readonly writeError: (text: string) => void
  readonly coloured: boolean
  readonly signal: AbortSignal
}

const HELP = `Usage: stagepass-doctor [options]

Checks the connection to the voice service. Each line says what works or what does not, and what to do.

Variables:
  VOICE_API_KEY          API key of the account
  VOICE_BASE_URL         address of the token endpoint, such as https://api.example.com
  VOICE_STREAMING_URL    address of the WebSockets, such as wss://stream.example.com
  VOICE_MEETINGS_URL     address of the meetings interface. Default: VOICE_BASE_URL
  VOICE_MEETINGS_TOKEN   credential of the meetings interface. Without it, meetings are not checked
  STAGEPASS_COOKIE       with --bff: the cookie of a signed-in user

Options:
  --wire <file>          JSON file with the meetings.wire of the BFF. Default: the defaults of Stagepass
  --tape <file>          a .voicetape: does the service still send messages of these forms?
  --strict               exit code 1 unless the whole wire is proven
  --bff <url>            check a mounted BFF from outside instead, such as https://app.example.com/api/voice
  --cookie <cookie>      the same as STAGEPASS_COOKIE, but other users of this machine can see it during the run
  --json                 print one JSON object
  --version              print the version
  --help                 print this help

The doctor mints 4 tokens with the shortest lifetime, and sends about 15 requests to the meetings interface, at most 2 a second.
With --bff: ${BFF_NOTICE}
It prints no secret. Exit code: 0 no check failed, 1 a check failed, 2 wrong use, 130 stopped.`

/** By convention, 128 plus the number of SIGINT. */
const STOPPED = 130

/** The command line without its process. Resolves with the exit code. */
export async function runCli(input: CliInput): Promise<number> {
  const { argv, environment, signal, limits, sleep, coloured } = input
  const redactor = createRedactor()
  for (const secret of secretsOf(environment)) redactor.hide(secret)
  // All output is printed with this function.
  const print = (text: string): void => input.write(`${redactor.redact(text)}\n`)

  try {
    const options = readOptions(argv)
    if (options.help || options.version) {
      print(options.help ? HELP : input.version())
      return 0
    }
    const target = readTarget(options, environment)
    if (target.type === 'bff' && !options.json) print(`${BFF_NOTICE}\n`)
    const report = await runDoctor(target, {
      redactor,
      signal,
      limits,
      sleep,
      onResult: options.json ? undefined : (result) => print(formatResult(result, coloured)),
    })
    print(options.json ? JSON.stringify(report, undefined, 2) : `\n${formatSummary(report, coloured)}`)
    return report.ok ? 0 : 1
  } catch (error) {
    if (signal.aborted) {
      input.writeError('Stopped.\n')
      return STOPPED
    }
    if (!(error instanceof UsageError)) throw error
    input.writeError(`${redactor.redact(error.message)}\n\n${HELP}\n`)
    return 2
  }
}

function readOptions(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        bff: { type: 'string' },
        cookie: { type: 'string' },
        wire: { type: 'string' },
        tape: { type: 'string' },
        strict: { type: 'boolean' },
        json: { type: 'boolean' },
        version: { type: 'boolean', short: 'v' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch {
    // The message of the error may repeat an argument, which may be a secret.
    throw new UsageError(
      'Failed to start: an option is unknown or has no value, or there is an argument that is not an option. See the options below.',
    )
  }
}

/** Returns the target of the options. Throws `UsageError`. */
function readTarget(options: ReturnType<typeof readOptions>, environment: Environment): Target {
  const {
    bff,
    wire,
    strict,
    tape,
    cookie = withoutQuotes(environment.STAGEPASS_COOKIE ?? '') || undefined,
  } = options
  const names = bff === undefined ? (['cookie'] as const) : (['wire', 'strict', 'tape'] as const)
  for (const name of names)
    if (options[name] !== undefined)
      throw new UsageError(
        `Failed to start: --${name} ${bff === undefined ? 'needs --bff. Give --bff too.' : 'cannot be used with --bff. Leave one of them out.'}`,
      )
  if (bff === undefined) {
    const service = readVariables(environment)
    return {
      type: 'service',
      service,
      strict,
      wire: wire === undefined ? undefined : readWireFile(wire),
      tape: tape === undefined ? undefined : readTapeFile(tape),
    }
  }
  checkSecret('the cookie', cookie)
  return { type: 'bff', url: readUrl('--bff', bff, 'https'), cookie }
}
