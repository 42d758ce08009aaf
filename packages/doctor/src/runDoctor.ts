import { BFF_CHECKS } from './bff/bffChecks.js'
import { runChecks, type RunListener } from './checks/runChecks.js'
import type { ServiceContext } from './checks/ServiceContext.js'
import { serviceChecks } from './checks/serviceChecks.js'
import { createHttp } from './net/createHttp.js'
import { nodePlatform, type Platform } from './net/Platform.js'
import type { Report } from './report/Report.js'
import { createRedactor, type Redactor } from './report/createRedactor.js'
import { createMeetingsRequests } from './wire/list/createMeetingsRequests.js'
import { createDraft, reportDraft } from './wire/WireContext.js'
import { WIRE_CHECKS } from './wire/wireChecks.js'
import {
  type BffTarget,
  LIMITS,
  type Limits,
  type ServiceSettings,
  type Target,
} from './settings/Settings.js'

/** Second argument of `runDoctor`: what hides secrets, what ends the run, and the limits. Each limit has a default. */
export interface RunOptions extends RunListener {
  readonly redactor: Redactor
  readonly signal: AbortSignal
  readonly limits?: Partial<Limits> | undefined
  readonly platform?: Platform | undefined
}

/** Checks the target. Rejects with the signal's reason if it is aborted. */
export async function runDoctor(target: Target, options: RunOptions): Promise<Report> {
  const { signal, platform = nodePlatform } = options
  const limits = { ...LIMITS, ...options.limits }
  const http = createHttp({ platform, signal, timeoutMs: limits.timeoutMs })
  try {
    const shared = { platform, limits, signal, http }
    return target.type === 'bff'
      ? await checkBff(target.bff, shared, options)
      : await checkService(target.service, target.expiry, shared, options)
  } finally {
    await http.close()
  }
}

type Shared = Pick<ServiceContext, 'platform' | 'limits' | 'signal' | 'http'>

async function checkService(
  settings: ServiceSettings,
  expiry: boolean,
  shared: Shared,
  { redactor, ...listener }: RunOptions,
): Promise<Report> {
  for (const secret of [settings.apiKey, settings.meetingsToken]) if (secret) redactor.hide(secret)
  const context = { ...shared, settings, redactor, found: { tokens: new Map(), mints: new Map() } }
  const ofTokens = await runChecks(serviceChecks({ expiry }), context, shared.signal, listener)
  const draft = createDraft()
  const requests = createMeetingsRequests({ ...shared, settings })
  const checksOfWire = settings.meetingsToken === undefined ? WIRE_CHECKS.slice(0, 1) : WIRE_CHECKS
  const ofWire = await runChecks(
    checksOfWire,
    { settings, redactor, requests, draft, found: {} },
    shared.signal,
    listener,
  )
  const checks = [...ofTokens, ...ofWire]
  return {
    ok: checks.every(({ status }) => status !== 'fail'),
    target: 'service',
    checks,
    ...(draft.seen.size > 0 && { wire: reportDraft(draft) }),
  }
}

async function checkBff(target: BffTarget, shared: Shared, options: RunOptions): Promise<Report> {
  const { redactor, ...listener } = options
  const upstreamSecrets = createRedactor()
  for (const secret of target.upstreamSecrets) {
    redactor.hide(secret)
    upstreamSecrets.hide(secret)
  }
  if (target.cookie !== undefined) redactor.hide(target.cookie)
  const context = { ...shared, target, redactor, upstreamSecrets, found: { responses: [] } }
  const checks = await runChecks(BFF_CHECKS, context, shared.signal, listener)
  return { ok: checks.every(({ status }) => status !== 'fail'), target: 'bff', checks }
}
