import { LRUCache } from 'lru-cache/raw'
import { atMost } from '../base/platform.js'
import type { Secret } from '../base/Secret.js'
import type { SecretReader } from './createSecretReader.js'

/**
 * Maximum number of readers that are kept for one function. Beyond it, the least recently used is dropped. A
 * reader with its value takes 1.4 KB.
 */
const MAX_READERS = 10_000

/**
 * Finds the reader of a grant's credential. A function may return a different value for each user, so each
 * user has a reader. Readers are kept while the host keeps the function.
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
