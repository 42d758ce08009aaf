import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** What the login asks of the application's users. */
export interface Users {
  /** Whether a user of this name exists and has this password. */
  isPassword(name: string, password: string): Promise<boolean>
}

export interface ScryptCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** One of the settings that OWASP's password cheat sheet calls equally strong. A check takes 16 MiB and about 0.2 s. */
const COST: ScryptCost = { N: 2 ** 14, r: 8, p: 5 }
const KEY_BYTES = 32

const derive = promisify<string, Buffer, number, ScryptCost, Buffer>(scrypt)

/** Stands for the application's database: users with their passwords. Only hashes are kept. */
export async function createUsers(
  passwords: Readonly<Record<string, string>>,
  cost: ScryptCost = COST,
): Promise<Users> {
  const hash = async (password: string) => {
    const salt = randomBytes(16)
    return { salt, key: await derive(password, salt, KEY_BYTES, cost) }
  }
  const names = Object.keys(passwords)
  const hashes = new Map(
    await Promise.all(names.map(async (name) => [name, await hash(passwords[name] ?? '')] as const)),
  )
  /** In place of the hash of a user that does not exist. No password matches it: its key is random. */
  const dummy = { salt: randomBytes(16), key: randomBytes(KEY_BYTES) }

  return {
    async isPassword(name, password) {
      // Takes the same time for an unknown user, so that the time does not say which users exist.
      const { salt, key } = hashes.get(name) ?? dummy
      return timingSafeEqual(await derive(password, salt, KEY_BYTES, cost), key)
    },
  }
}
