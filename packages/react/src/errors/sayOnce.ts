/**
 * Logs a set-up mistake to the console, once for each client. Call it only in development builds, so that
 * production builds do not contain the sentence, except for what only production can have.
 */
export function sayOnce(said: Set<string>, sentence: string): void {
  if (said.has(sentence)) return
  said.add(sentence)
  // eslint-disable-next-line no-console -- a mistake that only a developer can fix
  console.error(sentence)
}
