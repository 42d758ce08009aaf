import type { Secret } from '../settings/Secret.js'
import type { SecretReader } from './createSecretReader.js'

/** Readers kept for one function: those of the latest users. */
const MAX_READERS = 1_000

/**
 * Finds the reader of a grant's credential. A function may return another value for each user, so there is a reader for each user. Readers
 * are kept as long as the host keeps the function.
 */
export function createCredentialReaders(
  createReader: (secret: Secret) => SecretReader,
): (secret: Secret, user: string) => SecretReader {
  const readers = new WeakMap<() => unknown, Map<string, SecretReader>>()

  return (secret, user) => {
    if (typeof secret !== 'function') return createReader(secret)
    let ofUsers = readers.get(secret)
    if (!ofUsers) readers.set(secret, (ofUsers = new Map()))
    const known = ofUsers.get(user)
    if (known) return known
    const reader = createReader(secret)
    ofUsers.set(user, reader)
    for (const oldest of ofUsers.keys()) {
      if (ofUsers.size <= MAX_READERS) break
      ofUsers.delete(oldest)
    }
    return reader
  }
}
