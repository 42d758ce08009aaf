import { setTimeout } from 'node:timers/promises'
import { ASSUMED_MEETINGS_WIRE } from '@stagepass/contract'
import { type Run, runChecks } from './checks/Check.js'
import { bffChecks, meetingsCheck, serviceChecks, tapeChecks, wireChecks } from './checks/checks.js'
import { createSend } from './net/createSend.js'
import { createRedactor, type Redactor } from './report/createRedactor.js'
import { type CheckResult, isBad, type Report } from './report/Result.js'
import { type BffTarget, LIMITS, type Limits, type ServiceTarget, type Target } from './settings/Settings.js'

/** Second argument of `runDoctor`. */
export interface RunOptions {
  /** Called when a check has ended. The result contains no secret. */
  readonly onResult?: ((result: CheckResult) => void) | undefined
  /** Cancels the run: `runDoctor` rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  readonly limits?: Partial<Limits> | undefined
  /** Replaces the timers of Node, for tests. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
  /** @internal The command line uses the same redactor for its own output. */
  readonly redactor?: Redactor | undefined
}

/** Checks the target. The report contains no secret. */
export async function runDoctor(target: Target, options: RunOptions = {}): Promise<Report> {
  const { signal = new AbortController().signal, redactor = createRedactor() } = options
  const limits = { ...LIMITS, ...options.limits }
  const sleep = async (ms: number): Promise<void> =>
    options.sleep?.(ms, signal) ?? setTimeout(ms, undefined, { signal })
  const run = { limits, signal, redactor, send: createSend(limits.timeoutMs, signal, sleep) }
  return target.type === 'bff' ? checkBff(target, run, options) : checkService(target, run, options)
}

async function checkService(target: ServiceTarget, run: Run, { onResult }: RunOptions): Promise<Report> {
  const { service: settings, wire = ASSUMED_MEETINGS_WIRE, strict = false, tape } = target
  const { apiKey, meetingsToken } = settings
  run.redactor.hide(apiKey)
  if (meetingsToken !== undefined) run.redactor.hide(meetingsToken)

  const minted = new Map()
  const ofService = await runChecks(serviceChecks, { ...run, settings, minted }, onResult)
  const ofTape = tape ? await runChecks(tapeChecks(tape), { ...run, settings, minted, tape }, onResult) : []
  const checksOfWire = wireChecks(wire)
  const ofMeetings = [meetingsCheck, ...(meetingsToken === undefined ? [] : checksOfWire)]
  const context = { ...run, settings, wire, responses: new Map() }
  const ofWire = await runChecks(ofMeetings, context, onResult, 'not provable')
  const checks = [...ofService, ...ofTape, ...ofWire]
  const proven = ofWire.filter(({ status }) => status === 'proven')
  const ok = !checks.some(isBad) && (!strict || proven.length === checksOfWire.length)
  return { ok, target: 'service', checks, ...(meetingsToken !== undefined && { wire }) }
}

async function checkBff(target: BffTarget, run: Run, { onResult }: RunOptions): Promise<Report> {
  if (target.cookie !== undefined) run.redactor.hide(target.cookie)
  const checks = await runChecks(bffChecks, { ...run, target, found: { responses: [] } }, onResult)
  return { ok: !checks.some(isBad), target: 'bff', checks }
}
