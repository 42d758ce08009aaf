/** The command or a variable is wrong. The message is one sentence with the remedy, and holds no secret. */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  constructor(problem: string, remedy: string, act = 'start', options?: ErrorOptions) {
    super(`Failed to ${act}: ${problem}. ${remedy}.`, options)
  }
}
