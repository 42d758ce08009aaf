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
  readonly write: (text: string) => void
  readonly writeError: (text: string) => void
  readonly coloured: boolean
  readonly signal: AbortSignal
}

/** By convention, 128 and the number of SIGINT. */
const STOPPED = 130

/** The command line without its process. Resolves with the exit code. */
export async function runCli(input: CliInput): Promise<number> {
  const { argv, environment, signal, limits, sleep, coloured } = input
  const redactor = createRedactor()
  for (const secret of secretsOf(environment)) redactor.hide(secret)
  // Everything that is printed goes through here.
  const print = (text: string): void => input.write(`${redactor.redact(text)}\n`)
  const printError = (text: string): void => input.writeError(`${redactor.redact(text)}\n`)

  try {
    const options = readOptions(argv)
    if (options.help || options.version) {
      print(options.help ? HELP : input.version())
      return 0
    }
    const report = await runDoctor(readTarget(options, environment), {
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
      printError('Stopped.')
      return STOPPED
    }
    if (!(error instanceof UsageError)) throw error
    printError(`${error.message}\n\n${HELP}`)
    return 2
  }
}
