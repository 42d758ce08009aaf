import { formatDuration } from '../checks/wording.js'
import { createRedactor } from '../report/createRedactor.js'
import { formatResult, formatSummary } from '../report/formatReport.js'
import { type RunOptions, runDoctor } from '../runDoctor.js'
import { type Environment, secretsOf } from '../settings/readVariables.js'
import { UsageError } from '../settings/UsageError.js'
import { HELP, readOptions, readTarget } from './readOptions.js'

export interface CliInput extends Pick<RunOptions, 'limits' | 'sleep'> {
  /** Without the runtime and the script. */
  readonly argv: readonly string[]
  readonly environment: Environment
  readonly version: () => string
  /** Writes to the output. */
  readonly write: (text: string) => void
  /** Writes errors, and what the doctor is doing. */
  readonly writeError: (text: string) => void
  /** Width of the output, if it is a terminal. Then there is colour too. */
  readonly columns: number | undefined
  /** Are the errors shown on a terminal? Then there is progress. */
  readonly showProgress: boolean
  readonly signal: AbortSignal
}

/** By convention, 128 and the number of SIGINT. */
const STOPPED = 130

const CLEAR_LINE = '\r\u001b[K'

/** The command line without its process. Resolves with the exit code. */
export async function runCli(input: CliInput): Promise<number> {
  const { argv, environment, signal, limits, sleep, columns } = input
  const redactor = createRedactor()
  for (const secret of secretsOf(environment)) redactor.hide(secret)
  // Everything that is printed goes through here.
  const print = (text: string): void => input.write(`${redactor.redact(text)}\n`)
  const printError = (text: string): void => input.writeError(`${redactor.redact(text)}\n`)
  const progress = (text: string): void => {
    if (input.showProgress) input.writeError(CLEAR_LINE + text)
  }

  try {
    const options = readOptions(argv)
    if (options.help || options.version) {
      print(options.help ? HELP : input.version())
      return 0
    }
    const layout = { columns, coloured: columns !== undefined && !environment.NO_COLOR }
    const report = await runDoctor(readTarget(options, environment), {
      redactor,
      signal,
      limits,
      sleep,
      onStart: (name) => progress(`Checking ${name} …`),
      onWait: (ms) => progress(`Waiting for ${formatDuration(ms)} …`),
      onResult(result) {
        progress('')
        if (!options.json) print(formatResult(result, layout))
      },
    })
    if (options.json) print(JSON.stringify(report, undefined, 2))
    else print(`\n${formatSummary(report, layout)}`)
    return report.ok ? 0 : 1
  } catch (error) {
    progress('')
    if (signal.aborted) {
      printError('Stopped.')
      return STOPPED
    }
    if (!(error instanceof UsageError)) throw error
    printError(`${error.message}\n\n${HELP}`)
    return 2
  }
}
