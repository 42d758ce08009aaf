import { hasCode, HANDSHAKE_ERRORS, MEETINGS_ERRORS, TOKEN_ERRORS } from '@stagepass/contract'
import { delay, drop, type Emulator, fail, type Fault, malformed, type RefuseBy } from '@stagepass/emulator'

const CODES = { ...TOKEN_ERRORS, ...HANDSHAKE_ERRORS, ...MEETINGS_ERRORS }
const REFUSALS = ['status', 'frame', 'close'] as const satisfies readonly RefuseBy[]
/** Without `times` they last until the reset. */
const OUTAGES: Readonly<Record<string, (times: 1 | undefined) => Fault>> = {
  drop: (times) => drop({ times }),
  slow: (times) => delay(4_000, { on: ['token', 'meetings'], times }),
  malformed: (times) => malformed('html', { times }),
}

/** The immediate effect of a fault. */
export interface FaultResult {
  /** Living tokens that have expired now. */
  readonly tokens: number
  /** Open sockets that are cut. */
  readonly sockets: number
}

const NOTHING: FaultResult = { tokens: 0, sockets: 0 }

/** Injects the fault that the body of a request describes. Returns `undefined` if it describes none. */
export function applyFault(emulator: Emulator, body: unknown): FaultResult | undefined {
  const { type, name, times: given, refuseBy } = (body ?? {}) as Record<string, unknown>
  const times = given === 1 ? 1 : undefined
  if (type === 'expire') return expireAll(emulator)
  if (type === 'reset') {
    emulator.reset()
    return NOTHING
  }
  if (type !== 'fail' || typeof name !== 'string') return undefined
  if (hasCode(CODES, name)) {
    emulator.use(fail(name, { times, refuseBy: REFUSALS.find((one) => one === refuseBy) }))
    return NOTHING
  }
  const outage = Object.hasOwn(OUTAGES, name) ? OUTAGES[name]?.(times) : undefined
  if (!outage) return undefined
  emulator.use(outage)
  return NOTHING
}

/** Ends all session tokens. The emulator then cuts their sockets. */
function expireAll({ tokens, sockets, clock }: Emulator): FaultResult {
  const now = clock.now()
  const living = tokens.all().filter(({ expiresAtMs }) => expiresAtMs > now)
  for (const { sessionKey } of living) tokens.update(sessionKey, { expiresAtMs: now })
  return { tokens: living.length, sockets: sockets.length }
}
