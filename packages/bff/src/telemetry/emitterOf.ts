import type { EmitEvent } from './events.js'

/** Adds the account to each event that a grant is behind. The common account has no name. */
export function emitterOf(account: string | undefined, emit: EmitEvent): EmitEvent {
  if (account === undefined || !emit) return emit
  // The event is new, and a copy would lose its cause.
  return (event) => emit(Object.assign(event, { account }))
}
