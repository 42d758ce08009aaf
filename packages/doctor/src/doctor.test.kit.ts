import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MEETINGS_QUERY_ROLES } from '@stagepass/contract'
import type { Emulator } from '@stagepass/emulator'
import { expect } from 'vitest'
import { runCli } from './cli/runCli.js'
import type { CheckResult, CheckStatus, Report } from './report/Result.js'
import type { Limits } from './settings/Settings.js'

export interface DoctorOptions {
  readonly argv?: readonly string[]
  /** Replaces variables of the emulator. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly limits?: Partial<Limits>
  /** Default: no waits between requests. Other tests check the waits. */
  readonly sleep?: (ms: number) => Promise<void>
  /** Additional secrets that must not be printed. */
  readonly secrets?: readonly string[]
  /** Default: false. */
  readonly coloured?: boolean
}

export interface DoctorRun {
  readonly exitCode: number
  readonly output: string
  readonly errors: string
  /** Only with `--json`. */
  readonly report: Report
  readonly statuses: Readonly<Record<string, CheckStatus>>
  check(name: string): CheckResult
}

/** Long limits, because a busy machine is slow. */
const LIMITS: Limits = { timeoutMs: 20_000, settleMs: 150 }

export const variablesOf = (upstream: Emulator): Record<string, string | undefined> => ({
  VOICE_API_KEY: upstream.apiKey,
  VOICE_BASE_URL: upstream.baseUrl,
  VOICE_STREAMING_URL: upstream.streamingUrl,
  VOICE_MEETINGS_URL: upstream.meetingsUrl,
  VOICE_MEETINGS_TOKEN: upstream.meetingsCredential,
})

/** Without the meetings, which most tests do not need. */
export const withoutMeetings = { VOICE_MEETINGS_TOKEN: undefined }

const noWaits = async (): Promise<void> => undefined

/** Runs the doctor in this process, and searches its output for every secret of the emulator. */
export async function runDoctorOn(
  upstream: Emulator | undefined,
  { argv = ['--json'], environment, secrets = [], ...options }: DoctorOptions = {},
): Promise<DoctorRun> {
  const variables = { ...(upstream && variablesOf(upstream)), ...environment }
  let output = ''
  let errors = ''
  const exitCode = await runCli({
    argv,
    environment: variables,
    version: () => '1.2.3',
    write: (text) => (output += text),
    writeError: (text) => (errors += text),
    coloured: options.coloured ?? false,
    signal: new AbortController().signal,
    limits: { ...LIMITS, ...options.limits },
    sleep: options.sleep ?? noWaits,
  })
  const own = [variables.VOICE_API_KEY, variables.VOICE_MEETINGS_TOKEN, ...secrets].filter(
    (one) => one !== undefined,
  )
  const minted = upstream?.tokens.all().map(({ sessionKey }) => sessionKey) ?? []
  for (const secret of [...own, ...minted]) expectNoPart(output + errors, secret)

  const report = (argv.includes('--json') && output !== '' ? JSON.parse(output) : { checks: [] }) as Report
  return {
    exitCode,
    output,
    errors,
    report,
    statuses: Object.fromEntries(report.checks.map(({ name, status }) => [name, status])),
    check(name) {
      const found = report.checks.find((result) => result.name === name)
      if (!found)
        throw new Error(`There is no check "${name}": ${report.checks.map((one) => one.name).join(', ')}`)
      return found
    },
  }
}

/** Runs the doctor with this wire in a file. Without a wire: with the defaults. */
export async function runWithWire(
  upstream: Emulator | undefined,
  wire: object | undefined,
  { argv = [], ...options }: DoctorOptions = {},
): Promise<DoctorRun> {
  if (!wire) return runDoctorOn(upstream, { argv: ['--json', ...argv], ...options })
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-wire-'))
  const file = join(folder, 'wire.json')
  // Some editors write a byte order mark.
  writeFileSync(file, `\ufeff${JSON.stringify(wire)}`)
  try {
    return await runDoctorOn(upstream, { argv: ['--json', '--wire', file, ...argv], ...options })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const VALUES = ['list', ...MEETINGS_QUERY_ROLES.map((role) => `params.${role}`), 'meeting', 'tags']

/** Every value of the wire with this result. */
export const everyValue = (status: CheckStatus): Record<string, CheckStatus | undefined> =>
  Object.fromEntries(VALUES.map((name) => [name, status]))

export const verdictsOf = ({ statuses }: DoctorRun): Record<string, CheckStatus | undefined> =>
  Object.fromEntries(VALUES.map((name) => [name, statuses[name]]))

/** Plain, percent-encoded, in base64 and in hexadecimal: no eight characters in a row. */
export function expectNoPart(text: string, secret: string): void {
  const bytes = Buffer.from(secret)
  const shifted = [0, 1, 2].map((offset) => bytes.subarray(offset).toString('base64').replace(/=+$/, ''))
  const forms = [
    secret,
    encodeURIComponent(secret),
    ...shifted,
    bytes.toString('hex'),
    bytes.toString('base64url'),
  ]
  for (const form of forms)
    for (let at = 0; at + 8 <= form.length; at += 1) {
      const part = form.slice(at, at + 8)
      if (text.includes(part)) expect.fail(`"${part}" of a secret was printed`)
    }
}
