import { LRUCache } from 'lru-cache'
import { atMost } from '../platform/platform.js'
import type { Secret } from '../settings/Secret.js'
import type { SecretReader } from './createSecretReader.js'

/**
 * Readers kept for one function: those of the users who used it last. A reader with its value takes 1.4 KB.
 */
const MAX_READERS = 10_000

/**
 * Finds the reader of a grant's credential. A function may return another value for each user, so there is a
 * reader for each user. Readers are kept as long as the host keeps the function.
 */
export function createCredentialReaders(
  createReader: (secret: Secret) => SecretReader,
): (secret: Secret, user: string) => SecretReader {
  const readers = new WeakMap<() => unknown, LRUCache<string, SecretReader>>()

  return (secret, user) => {
    if (typeof secret !== 'function') return createReader(secret)
    let ofUsers = readers.get(secret)
    if (!ofUsers) readers.set(secret, (ofUsers = new LRUCache(atMost(MAX_READERS))))
    const reader = ofUsers.get(user) ?? createReader(secret)
    ofUsers.set(user, reader)
    return reader
  }
}
