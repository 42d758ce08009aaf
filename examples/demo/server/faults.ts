import type { HandshakeErrorCode, MeetingsErrorCode, TokenErrorCode } from '@stagepass/contract'
import { codesOf, hasCode, HANDSHAKE_ERRORS, MEETINGS_ERRORS, TOKEN_ERRORS } from '@stagepass/contract'
import type { Emulator, Fault, RefuseBy } from '@stagepass/emulator'
import { delay, drop, fail, malformed } from '@stagepass/emulator'

type Code = TokenErrorCode | HandshakeErrorCode | MeetingsErrorCode

/** What the page may ask the emulator to do wrong. */
export type FaultRequest =
  | {
      readonly type: 'fail'
      readonly code: Code
      /** Until reset where it is left out. */
      readonly times?: number | undefined
      readonly refuseBy?: RefuseBy | undefined
    }
  | { readonly type: 'outage'; readonly kind: Outage; readonly times?: number | undefined }
  /** All session tokens die now; the sockets that were opened with them are cut. */
  | { readonly type: 'expire' }
  | { readonly type: 'reset' }

const OUTAGES = {
  drop: (times) => drop({ times }),
  slow: (times) => delay(4_000, { on: ['token', 'meetings'], times }),
  malformed: (times) => malformed('html', { times }),
} as const satisfies Record<string, (times: number | undefined) => Fault>
type Outage = keyof typeof OUTAGES

const ALL_CODES = { ...TOKEN_ERRORS, ...HANDSHAKE_ERRORS, ...MEETINGS_ERRORS }

/** The codes that the page offers. (Contract: "Token errors", "Handshake errors", "Meetings errors".) */
export const FAULT_CODES = {
  token: codesOf(TOKEN_ERRORS),
  handshake: codesOf(HANDSHAKE_ERRORS),
  meetings: codesOf(MEETINGS_ERRORS),
}

/** Returns `undefined` for anything that is not a fault request. */
export function readFaultRequest(body: unknown): FaultRequest | undefined {
  const { type, code, kind, times, refuseBy } = (body ?? {}) as Record<string, unknown>
  if (times !== undefined && (!Number.isInteger(times) || Number(times) < 1)) return undefined
  const rest = { times: times as number | undefined, refuseBy: readRefuseBy(refuseBy) }
  if (type === 'expire' || type === 'reset') return { type }
  if (type === 'fail' && hasCode(ALL_CODES, code)) return { type, code, ...rest }
  if (type === 'outage' && typeof kind === 'string' && Object.hasOwn(OUTAGES, kind)) {
    return { type, kind: kind as Outage, times: rest.times }
  }
  return undefined
}

function readRefuseBy(value: unknown): RefuseBy | undefined {
  return value === 'status' || value === 'frame' || value === 'close' ? value : undefined
}

export function applyFault(emulator: Emulator, request: FaultRequest): void {
  switch (request.type) {
    case 'fail':
      emulator.use(fail(request.code, { times: request.times, refuseBy: request.refuseBy }))
      return
    case 'outage':
      emulator.use(OUTAGES[request.kind](request.times))
      return
    case 'expire':
      for (const { sessionKey } of emulator.tokens.all()) {
        emulator.tokens.update(sessionKey, { expiresAtMs: emulator.clock.now() })
      }
      return
    case 'reset':
      emulator.reset()
      return
    default:
      request satisfies never
  }
}
