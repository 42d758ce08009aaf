import type { BffEvent, EmitEvent, EmitOfAccount } from './events.js'

/** Adds the account to each event. The common account has no name. */
export function emitterOf(account: string | undefined, emit: EmitEvent): EmitOfAccount {
  if (!emit) return undefined
  // The event is new, and a copy would lose its cause.
  return (event) => emit(Object.assign(event, { account }) as BffEvent)
}
