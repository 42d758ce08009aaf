import { type RedisClient, redisEval, type RedisEval } from '@stagepass/budget'
import { LRUCache } from 'lru-cache/raw'
import { createHmac, type Hmac, sha256 } from '../base/keys.js'
import { atMost, newId } from '../base/platform.js'
import type { Breaker } from './createBreaker.js'
import { BILL_MS } from './usageRules.js'

/**
 * The API keys that each account has used, by HMAC. `forget` makes them useless: then the account needs another
 * one. Nothing is kept of a key that was never used.
 */
export interface KeyRegister {
  /** The name of a key in the register. */
  printOf(account: string, key: string): Promise<string>
  /** Adds a key. Resolves with false if the account was forgotten with it. */
  admit(account: string, print: string): Promise<boolean>
  /** True if this process knows that the key was forgotten, or that some key was and `print` is not known. */
  isSuspect(account: string, print: string | undefined): boolean
  /** All keys of the account are useless from now on. Rejects if Redis does not respond. */
  forget(account: string): Promise<void>
  /** Those of the accounts that were forgotten after so many others. */
  forgottenAfter(count: number, accounts: readonly string[]): Promise<readonly string[]>
}

interface KeyRegisterOptions {
  readonly redis: RedisClient | RedisEval | undefined
  /** Part of the keys in Redis. */
  readonly account: string
  readonly secret: string | undefined
  readonly breaker: Breaker
}

/** Maximum number of accounts in memory. Beyond it, the least recently used is dropped. */
const MAX_ACCOUNTS = 20_000
/** Characters of a print: 132 bits. */
const PRINT_LENGTH = 22
/** Names in one call. */
const AT_ONCE = 1_000

/** The number of accounts that were forgotten, and the register of one account. */
export const registerNames = (main: string, account?: string): string[] => [
  `stagepass:{${main}}:forgotten`,
  ...(account === undefined ? [] : [`stagepass:{${main}}:keys:${account}`]),
]

/*
 * The register of an account is a hash: `1` for each key, `0` for each that was forgotten, and in `at` how many
 * accounts had been forgotten with this one. The function returns whether the key is useless. Without one:
 * whether any is.
 */
export const IS_FORGOTTEN = `local function isForgotten(register, print)
  if print == '' then return redis.call('HEXISTS', register, 'at') == 1 end
  if redis.call('HSETNX', register, print, '1') == 1 then redis.call('PEXPIRE', register, ${BILL_MS}) end
  return redis.call('HGET', register, print) == '0'
end
`

/*
 * KEYS   [1] register
 * ARGV   [1] print
 * reply  1 if the key may be used
 */
const ADMIT = `${IS_FORGOTTEN}return isForgotten(KEYS[1], ARGV[1]) and 0 or 1`

/* KEYS [1] number of forgotten accounts  [2] register */
const FORGET = `local count = redis.call('INCR', KEYS[1])
for _, print in ipairs(redis.call('HKEYS', KEYS[2])) do redis.call('HSET', KEYS[2], print, '0') end
redis.call('HSET', KEYS[2], 'at', count)
redis.call('PEXPIRE', KEYS[2], ${BILL_MS})`

const READ = `local all = {}
for i, key in ipairs(KEYS) do all[i] = redis.call('HGET', key, 'at') or 0 end
return all`

export function createKeyRegister({ redis, account, secret, breaker }: KeyRegisterOptions): KeyRegister {
  let hmac: Hmac | undefined
  const printOf = async (of: string, key: string): Promise<string> => {
    // Not earlier, because Cloudflare Workers have no random numbers before the first request. A key is long
    // and random, so a hash does not reveal it.
    hmac ??= redis && secret === undefined ? sha256 : createHmac(secret ?? newId(), 'account keys')
    return (await hmac(JSON.stringify([of, key]))).slice(0, PRINT_LENGTH)
  }
  return { printOf, ...(redis ? inRedis(redis, account, breaker) : inMemory()) }
}

function inMemory(): Omit<KeyRegister, 'printOf'> {
  const registers = new LRUCache<string, { readonly used: Set<string>; useless?: Set<string> }>(
    atMost(MAX_ACCOUNTS),
  )
  return {
    async admit(account, print) {
      const register = registers.get(account) ?? { used: new Set() }
      registers.set(account, register)
      if (register.useless?.has(print)) return false
      register.used.add(print)
      return true
    },
    isSuspect(account, print) {
      const useless = registers.get(account)?.useless
      return useless !== undefined && (print === undefined || useless.has(print))
    },
    async forget(account) {
      const { used = [], useless = [] } = registers.get(account) ?? {}
      registers.set(account, { used: new Set(), useless: new Set([...used, ...useless]) })
    },
    forgottenAfter: async () => [],
  }
}

function inRedis(
  redis: RedisClient | RedisEval,
  main: string,
  breaker: Breaker,
): Omit<KeyRegister, 'printOf'> {
  // Each keeps the hash of its script.
  const [admit, forget, read] = [redisEval(redis), redisEval(redis), redisEval(redis)]
  return {
    // If Redis does not respond, no instance knows, and all other customers must go on.
    admit: (account, print) =>
      breaker(() => admit(ADMIT, registerNames(main, account).slice(1), [print])).then(
        (reply) => Number(reply) === 1,
        () => true,
      ),
    // The call that counts a request says it.
    isSuspect: () => false,
    async forget(account) {
      await breaker(() => forget(FORGET, registerNames(main, account), []))
    },
    async forgottenAfter(count, accounts) {
      const found: string[] = []
      for (let at = 0; at < accounts.length; at += AT_ONCE) {
        const some = accounts.slice(at, at + AT_ONCE)
        const names = some.flatMap((account) => registerNames(main, account).slice(1))
        const reply = await breaker(() => read(READ, names, []))
        const counts = Array.isArray(reply) ? reply.map(Number) : []
        found.push(...some.filter((_account, nth) => (counts[nth] ?? 0) > count))
      }
      return found
    },
  }
}
