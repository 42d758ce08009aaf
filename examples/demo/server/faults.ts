import { hasCode, HANDSHAKE_ERRORS, MEETINGS_ERRORS, TOKEN_ERRORS } from '@stagepass/contract'
import {
  acceptThenClose,
  byteOrderMark,
  closeIdle,
  delay,
  drop,
  type Emulator,
  encoded,
  expireCursors,
  fail,
  type Fault,
  hang,
  malformed,
  oddFields,
  refuse,
  type RefuseBy,
} from '@stagepass/emulator'

const CODES = { ...TOKEN_ERRORS, ...HANDSHAKE_ERRORS, ...MEETINGS_ERRORS }
const REFUSALS = ['status', 'frame', 'close'] as const satisfies readonly RefuseBy[]

interface How {
  /** `undefined`: until the reset. */
  readonly times: 1 | undefined
  readonly refuseBy: RefuseBy | undefined
}

/** The faults that are no code of the contract. The page has a sentence for each. */
const FAULTS = {
  drop: ({ times }) => drop({ times }),
  'drop before reading': ({ times }) => drop({ when: 'before-reading', times }),
  'drop mid-response': ({ times }) => drop({ when: 'mid-response', times }),
  'close idle': ({ times }) => closeIdle({ times }),
  slow: ({ times }) => delay(4_000, { on: ['token', 'meetings'], times }),
  hang: ({ times }) => hang({ times }),
  html: ({ times }) => malformed('html', { times }),
  'bad JSON': ({ times }) => malformed('bad-json', { times }),
  'wrong shape': ({ times }) => malformed('wrong-shape', { times }),
  empty: ({ times }) => malformed('empty', { times }),
  oversized: ({ times }) => malformed('oversized', { times }),
  endless: ({ times }) => malformed('endless', { times }),
  redirect: ({ times }) => malformed('redirect', { times }),
  encoded: ({ times }) => encoded('gzip', { times }),
  'byte order mark': ({ times }) => byteOrderMark({ times }),
  'expired cursor': ({ times }) => expireCursors({ times }),
  'odd fields': ({ times }) => oddFields({ title: 7, duration: '1800' }, { times }),
  'refuse 402': ({ times, refuseBy }) => refuse(402, { times, refuseBy }),
  'refuse 500': ({ times, refuseBy }) => refuse(500, { times, refuseBy }),
  'accept, then close': ({ times }) => acceptThenClose(1011, '', { times, on: 'handshake' }),
} as const satisfies Record<string, (how: How) => Fault>

/** What happens to each open socket at once. */
const NOW = {
  cut: (socket) => socket.drop(),
  close: (socket) => socket.close(1011),
  freeze: (socket) => socket.freeze(),
} as const satisfies Record<string, (socket: Emulator['sockets'][number]) => void>

export type FaultName = keyof typeof FAULTS
export type NowName = keyof typeof NOW

const isNameOf = <TTable extends object>(table: TTable, name: unknown): name is keyof TTable =>
  typeof name === 'string' && Object.hasOwn(table, name)

/** The immediate effect of a fault. */
export interface FaultResult {
  /** Living tokens that have expired now. */
  readonly tokens: number
  /** Open sockets to which it happens. */
  readonly sockets: number
}

/** Injects the fault that the body of a request describes. Returns `undefined` if it describes none. */
export function applyFault(emulator: Emulator, body: unknown): FaultResult | undefined {
  const { type, name, times, refuseBy } = (body ?? {}) as Record<string, unknown>
  const how = {
    times: times === 1 ? 1 : undefined,
    refuseBy: REFUSALS.find((one) => one === refuseBy),
  } as const
  if (type === 'expire') return expireAll(emulator)
  if (type === 'now' && isNameOf(NOW, name)) {
    const open = [...emulator.sockets]
    open.forEach(NOW[name])
    return { tokens: 0, sockets: open.length }
  }
  if (type === 'reset') emulator.reset()
  else if (type === 'fail' && typeof name === 'string' && hasCode(CODES, name)) emulator.use(fail(name, how))
  else if (type === 'fail' && isNameOf(FAULTS, name)) emulator.use(FAULTS[name](how))
  else return undefined
  return { tokens: 0, sockets: 0 }
}

/** Ends all session tokens. The emulator then cuts their sockets. */
function expireAll({ tokens, sockets, clock }: Emulator): FaultResult {
  const now = clock.now()
  const living = tokens.all().filter(({ expiresAtMs }) => expiresAtMs > now)
  for (const { sessionKey } of living) tokens.update(sessionKey, { expiresAtMs: now })
  return { tokens: living.length, sockets: sockets.length }
}
