import { setTimeout } from 'node:timers/promises'
import { ASSUMED_MEETINGS_WIRE } from '@stagepass/contract'
import { bffChecks } from './bff/bffChecks.js'
import type { Run } from './checks/Check.js'
import { runChecks } from './checks/runChecks.js'
import { createSend } from './net/createHttp.js'
import { createPatientSend } from './net/createPatientSend.js'
import { createRedactor, type Redactor } from './report/createRedactor.js'
import { type CheckResult, isBad, type Report } from './report/Result.js'
import { serviceChecks } from './service/serviceChecks.js'
import { type BffTarget, LIMITS, type Limits, type ServiceTarget, type Target } from './settings/Settings.js'
import { createWireContext } from './wire/WireContext.js'
import { meetings, wireChecks } from './wire/wireChecks.js'

/** Second argument of `runDoctor`. */
export interface RunOptions {
  /** A check has ended. The result holds no secret. */
  readonly onResult?: ((result: CheckResult) => void) | undefined
  /** Ends the run: `runDoctor` rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  readonly limits?: Partial<Limits> | undefined
  /** Replaces the timers of Node, for tests. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
  /** @internal What the command prints itself goes through it too. */
  readonly redactor?: Redactor | undefined
}

/** From one response to the next request: at most two requests arrive in any second. */
const SPACING_MS = 505

/** Checks the target. The report holds no secret. */
export async function runDoctor(target: Target, options: RunOptions = {}): Promise<Report> {
  const { signal = new AbortController().signal, redactor = createRedactor() } = options
  const limits = { ...LIMITS, ...options.limits }
  const sleep = async (ms: number): Promise<void> =>
    options.sleep?.(ms, signal) ?? setTimeout(ms, undefined, { signal })
  const send = createSend(limits.timeoutMs, signal)
  const sendPatiently = createPatientSend(send, sleep)
  const sendToMeetings = createPatientSend(send, sleep, SPACING_MS)
  const run = { limits, signal, sleep, redactor, send, sendPatiently, sendToMeetings }
  return target.type === 'bff' ? checkBff(target, run, options) : checkService(target, run, options)
}

async function checkService(target: ServiceTarget, run: Run, { onResult }: RunOptions): Promise<Report> {
  const { service: settings, wire = ASSUMED_MEETINGS_WIRE, strict = false, expiry = false } = target
  const { apiKey, meetingsToken } = settings
  run.redactor.hide(apiKey)
  if (meetingsToken !== undefined) run.redactor.hide(meetingsToken)

  const service = { ...run, settings, waitsForExpiry: expiry, found: { mints: new Map() } }
  const ofService = await runChecks(serviceChecks, service, onResult)
  const ofMeetings = [{ name: 'meetings', run: meetings }, ...(meetingsToken === undefined ? [] : wireChecks)]
  const context = createWireContext(run, settings, wire)
  const ofWire = await runChecks(ofMeetings, context, onResult, 'not provable')
  const checks = [...ofService, ...ofWire]
  const proven = ofWire.filter(({ status }) => status === 'proven')
  const ok = !checks.some(isBad) && (!strict || proven.length === wireChecks.length)
  return { ok, target: 'service', checks, ...(meetingsToken !== undefined && { wire }) }
}

async function checkBff(target: BffTarget, run: Run, { onResult }: RunOptions): Promise<Report> {
  const upstreamSecrets = createRedactor()
  for (const secret of target.upstreamSecrets ?? []) {
    run.redactor.hide(secret)
    upstreamSecrets.hide(secret)
  }
  if (target.cookie !== undefined) run.redactor.hide(target.cookie)
  const context = { ...run, target, upstreamSecrets, found: { responses: [] } }
  const checks = await runChecks(bffChecks, context, onResult)
  return { ok: !checks.some(isBad), target: 'bff', checks }
}
