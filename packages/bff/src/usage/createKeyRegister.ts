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
/** Maximum number of keys of an account. For one more, the one that was used first is dropped. */
const MAX_KEYS = 1_000
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
 * The register of an account is a hash: a number for each key, in the order of their first use, below zero
 * if it was forgotten; in `last` the highest number, and in `at` how many accounts had been forgotten with
 * this one. The function returns whether the key is useless. Without one: whether any is.
 */
export const IS_FORGOTTEN = `local function isForgotten(register, print)
  if print == '' then return redis.call('HEXISTS', register, 'at') == 1 end
  local known = redis.call('HGET', register, print)
  if known then return tonumber(known) < 0 end
  local last = redis.call('HINCRBY', register, 'last', 1)
  redis.call('HSET', register, print, last)
  redis.call('PEXPIRE', register, ${BILL_MS})
  if last > ${MAX_KEYS} then
    local all = redis.call('HGETALL', register)
    for i = 1, #all, 2 do
      if all[i] ~= 'at' and math.abs(all[i + 1]) <= last - ${MAX_KEYS} then redis.call('HDEL', register, all[i]) end
    end
  end
  return false
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
local all = redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
  if all[i] ~= 'at' and all[i] ~= 'last' then redis.call('HSET', KEYS[2], all[i], -math.abs(all[i + 1])) end
end
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
  /** `useless` of each key, in the order of their first use. */
  type Register = { isForgotten: boolean; readonly useless: Map<string, boolean> }
  const registers = new LRUCache<string, Register>(atMost(MAX_ACCOUNTS))
  const registerOf = (account: string): Register => {
    const register = registers.get(account) ?? { isForgotten: false, useless: new Map() }
    registers.set(account, register)
    return register
  }
  return {
    async admit(account, print) {
      const { useless } = registerOf(account)
      if (useless.has(print)) return useless.get(print) === false
      useless.set(print, false)
      const [oldest = ''] = useless.keys()
      if (useless.size > MAX_KEYS) useless.delete(oldest)
      return true
    },
    isSuspect(account, print) {
      const register = registers.get(account)
      if (!register?.isForgotten) return false
      return print === undefined || register.useless.get(print) === true
    },
    async forget(account) {
      const register = registerOf(account)
      register.isForgotten = true
      for (const print of register.useless.keys()) register.useless.set(print, true)
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
