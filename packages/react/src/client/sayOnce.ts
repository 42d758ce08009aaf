/**
 * Says a mistake of the set-up in the console, once for each client. Call it in development builds only: then
 * the sentence is in no other.
 */
export function sayOnce(said: Set<string>, sentence: string): void {
  if (said.has(sentence)) return
  said.add(sentence)
  // eslint-disable-next-line no-console -- a mistake that only a developer can mend
  console.error(sentence)
}
