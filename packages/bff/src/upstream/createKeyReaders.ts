import { LRUCache } from 'lru-cache/raw'
import { atMost } from '../base/platform.js'
import type { AccountKey, Secret } from '../base/Secret.js'
import type { SecretReader } from './createSecretReader.js'

/**
 * Maximum number of accounts whose key is kept. For one more, that of the least recently used account is
 * dropped, and asked for again when it is needed. A reader with its value takes 1.4 KB.
 */
const MAX_ACCOUNTS = 20_000

type KeyFunction = Exclude<Secret, string>

interface Known {
  newest: KeyFunction
  readonly reader: SecretReader
}

/**
 * Finds the reader of an API key: that of the options, or that of a grant. `authorize` makes a new function
 * for each request, so a grant's reader is found by the name of its account, and calls the newest function.
 * Nothing of an account's key is used for another account. (security.md, S58.)
 */
export function createKeyReaders(
  common: SecretReader | undefined,
  createReader: (secret: Secret, account: string) => SecretReader,
): (key: AccountKey | undefined) => SecretReader | undefined {
  const accounts = new LRUCache<string, Known>(atMost(MAX_ACCOUNTS))

  const createKnown = (account: string, newest: KeyFunction): Known => {
    const known: Known = { newest, reader: createReader(() => known.newest(), account) }
    accounts.set(account, known)
    return known
  }

  return (key) => {
    if (!key) return common
    const { account, secret } = key
    if (typeof secret === 'string') return createReader(secret, account)
    const known = accounts.get(account) ?? createKnown(account, secret)
    known.newest = secret
    return known.reader
  }
}
