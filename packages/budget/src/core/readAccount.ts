import { hasMethods, shown } from './check.js'
import { type Clock, systemClock } from './Clock.js'

/** The options that a budget and sessions share, besides the client of Redis. */
interface AccountOptions<TEvent> {
  readonly account?: string | undefined
  readonly onEvent?: ((event: TEvent) => void) | undefined
  readonly clock?: Clock | undefined
}

interface Account<TEvent> {
  readonly account: string
  readonly clock: Clock
  readonly emit: (event: TEvent) => void
}

/** Added to the clock, so that 0 is a time long ago. */
const ORIGIN_MS = 1e9

/** Checks the options, and adds the defaults. */
export function readAccount<TEvent>(
  failed: string,
  { account = 'main', onEvent, clock: given = systemClock }: AccountOptions<TEvent>,
): Account<TEvent> {
  if (onEvent !== undefined && typeof onEvent !== 'function')
    throw new TypeError(`${failed}: onEvent is ${shown(onEvent)}. Give a function, or leave it out.`)
  if (!hasMethods(given, 'now', 'after'))
    throw new TypeError(`${failed}: clock has no methods now and after. Leave it out, or give a Clock.`)
  // It is part of a Redis key. Braces in it would move the key to another node of a cluster.
  if (typeof account !== 'string' || !/^[\w.:-]{1,64}$/.test(account))
    throw new TypeError(`${failed}: account is not a short name. Use up to 64 letters, digits and . : _ -`)
  // An error in the listener, now or later, does not affect a request.
  const listen = async (event: TEvent): Promise<unknown> => onEvent?.(event)
  return {
    account,
    clock: { now: () => given.now() + ORIGIN_MS, after: (...timer) => given.after(...timer) },
    emit: (event) => void listen(event).catch(() => undefined),
  }
}
