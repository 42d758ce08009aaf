import { expectTypeOf } from 'vitest'
import type { BffEvent } from '../index.js'
import type { EmitEvent, EmitOfAccount } from './events.js'

declare const emit: EmitEvent
declare const emitOfAccount: EmitOfAccount

type Named = Extract<BffEvent, { readonly account: string | undefined }>['type']
type Unnamed = Exclude<BffEvent['type'], Named>

// Every other event names the account, a new one too.
expectTypeOf<Unnamed>().toEqualTypeOf<
  'gate.blocked' | 'authorize.failed' | 'login.refused' | 'drain.started' | 'drain.finished'
>()
expectTypeOf<BffEvent['account']>().toEqualTypeOf<string | undefined>()

const settled = {
  type: 'usage.settled',
  user: 'ada',
  product: 'stt',
  usedMs: 1,
  reservedMs: 1,
  by: 'report',
} as const

emit?.({ ...settled, account: undefined })
// @ts-expect-error it does not name the account
emit?.(settled)
// The emitter of an account adds it.
emitOfAccount?.(settled)
// @ts-expect-error the emitter of the BFF names no account
const wrong: EmitOfAccount = emit
void wrong
