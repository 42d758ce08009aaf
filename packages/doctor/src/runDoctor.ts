import { setTimeout } from 'node:timers/promises'
import { ASSUMED_MEETINGS_WIRE } from '@stagepass/contract'
import { bffChecks } from './bff/bffChecks.js'
import type { Run } from './checks/Check.js'
import { runChecks, type RunListener } from './checks/runChecks.js'
import { createHttp } from './net/createHttp.js'
import { createPatientSend } from './net/createPatientSend.js'
import { createRedactor, type Redactor } from './report/createRedactor.js'
import { isBad, type Report } from './report/Result.js'
import { serviceChecks } from './service/serviceChecks.js'
import { type BffTarget, LIMITS, type Limits, type ServiceTarget, type Target } from './settings/Settings.js'
import { meetings } from './wire/values.js'
import { createWireContext } from './wire/WireContext.js'
import { wireChecks } from './wire/wireChecks.js'

/** Second argument of `runDoctor`. */
export interface RunOptions extends RunListener {
  /** Ends the run: `runDoctor` rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** A wait of a second or more begins, such as that for a Retry-After. */
  readonly onWait?: ((ms: number) => void) | undefined
  readonly limits?: Partial<Limits> | undefined
  /** Replaces the timers of Node, for tests. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
  /** @internal What the command prints itself goes through it too. */
  readonly redactor?: Redactor | undefined
}

/** From one response to the next request: at most two requests arrive in any second. */
const SPACING_MS = 505

const MIN_SHOWN_WAIT_MS = 1_000

/** Checks the target. The report holds no secret. */
export async function runDoctor(target: Target, options: RunOptions = {}): Promise<Report> {
  const { signal = new AbortController().signal, redactor = createRedactor(), onWait } = options
  const limits = { ...LIMITS, ...options.limits }
  const sleep = async (ms: number): Promise<void> => {
    if (ms >= MIN_SHOWN_WAIT_MS) onWait?.(ms)
    await (options.sleep?.(ms, signal) ?? setTimeout(ms, undefined, { signal }))
  }
  const { send, close } = createHttp(limits.timeoutMs, signal)
  const sendPatiently = createPatientSend(send, sleep)
  const sendToMeetings = createPatientSend(send, sleep, SPACING_MS)
  const run = { limits, signal, sleep, redactor, send, sendPatiently, sendToMeetings }
  try {
    return target.type === 'bff'
      ? await checkBff(target, run, options)
      : await checkService(target, run, options)
  } finally {
    await close()
  }
}

async function checkService(target: ServiceTarget, run: Run, listener: RunListener): Promise<Report> {
  const { service: settings, wire = ASSUMED_MEETINGS_WIRE, strict = false, expiry = false } = target
  const { apiKey, meetingsToken } = settings
  run.redactor.hide(apiKey)
  if (meetingsToken !== undefined) run.redactor.hide(meetingsToken)

  const service = { ...run, settings, waitsForExpiry: expiry, found: { mints: new Map() } }
  const ofService = await runChecks(serviceChecks, service, listener)
  const ofMeetings = [{ name: 'meetings', run: meetings }, ...(meetingsToken === undefined ? [] : wireChecks)]
  const context = createWireContext(run, settings, wire)
  const ofWire = await runChecks(ofMeetings, context, listener, 'not provable')
  const checks = [...ofService, ...ofWire]
  const proven = ofWire.filter(({ status }) => status === 'proven')
  const ok = !checks.some(isBad) && (!strict || proven.length === wireChecks.length)
  return { ok, target: 'service', checks, ...(meetingsToken !== undefined && { wire }) }
}

async function checkBff(target: BffTarget, run: Run, listener: RunListener): Promise<Report> {
  const upstreamSecrets = createRedactor()
  for (const secret of target.upstreamSecrets ?? []) {
    run.redactor.hide(secret)
    upstreamSecrets.hide(secret)
  }
  if (target.cookie !== undefined) run.redactor.hide(target.cookie)
  const context = { ...run, target, upstreamSecrets, found: { responses: [] } }
  const checks = await runChecks(bffChecks, context, listener)
  return { ok: !checks.some(isBad), target: 'bff', checks }
}
