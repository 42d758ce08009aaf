/** The reason of an `AbortSignal`: says why work was cancelled. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
  readonly reason: 'deadline' | 'client-closed' | 'shutdown' | 'no-waiters' | 'forgotten'

  constructor(reason: Cancelled['reason']) {
    super(`The work was cancelled: ${reason}.`)
    this.reason = reason
  }
}
