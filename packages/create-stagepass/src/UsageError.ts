/** Something that the user can type differently. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
