/** Thrown for a mistake in the user's input. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
