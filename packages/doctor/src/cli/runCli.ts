import { createRedactor } from '../report/createRedactor.js'
import { formatResult, formatSummary } from '../report/formatReport.js'
import { formatWire } from '../report/formatWire.js'
import type { CheckResult } from '../report/Result.js'
import { type RunOptions, runDoctor } from '../runDoctor.js'
import { HELP, readCommand } from './readCommand.js'
import { type Environment, secretsOf } from '../settings/readVariables.js'
import { UsageError } from '../settings/UsageError.js'

export interface CliInput extends Pick<RunOptions, 'signal' | 'limits' | 'platform'> {
  /** Without the runtime and the script. */
  readonly argv: readonly string[]
  readonly environment: Environment
  /** Writes to the output. */
  readonly write: (text: string) => void
  /** Writes errors. */
  readonly writeError: (text: string) => void
  /** Is the output a terminal? Then there is progress, and colour. */
  readonly isTerminal: boolean
}

/** By convention, 128 and the number of SIGINT. */
const STOPPED = 130

const CLEAR_LINE = '\r\u001b[K'

/** The command line without its process. Resolves with the exit code. */
export async function runCli(input: CliInput): Promise<number> {
  const { argv, environment, signal, limits, platform } = input
  const redactor = createRedactor()
  for (const secret of secretsOf(environment)) redactor.hide(secret)
  // Everything that is printed goes through here.
  const print = (text: string): void => input.write(`${redactor.redact(text)}\n`)

  try {
    const command = readCommand(argv, environment)
    if (command.type === 'help') {
      print(HELP)
      return 0
    }
    const live = input.isTerminal && !command.json
    const coloured = live && !environment.NO_COLOR
    const report = await runDoctor(command.target, {
      redactor,
      signal,
      limits,
      platform,
      onStart: (name) => live && input.write(`${CLEAR_LINE}Checking ${name} …`),
      onResult(result) {
        if (live) input.write(CLEAR_LINE)
        if (!command.json) print(formatResult(redacted(result), coloured))
      },
    })
    const checks = report.checks.map(redacted)
    if (command.json) print(JSON.stringify({ ...report, checks }, undefined, 2))
    else {
      if (report.wire) print(`\n${formatWire(report.wire)}`)
      print(`\n${formatSummary(checks, coloured)}`)
    }
    return report.ok ? 0 : 1
  } catch (error) {
    const writeError = (text: string): void => input.writeError(`${redactor.redact(text)}\n`)
    if (input.isTerminal) input.write(CLEAR_LINE)
    if (signal.aborted) {
      writeError('Stopped.')
      return STOPPED
    }
    if (!(error instanceof UsageError)) throw error
    writeError(`${error.message}\n\n${HELP}`)
    return 2
  }

  function redacted(result: CheckResult): CheckResult {
    return { ...result, seen: redactor.redact(result.seen), advice: redactor.redact(result.advice) }
  }
}
