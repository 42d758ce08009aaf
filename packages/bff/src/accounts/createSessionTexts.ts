import { isProduct, type Product } from '@stagepass/contract'
import { createCipher } from '../base/keys.js'
import { createSigner } from '../grant/createSigner.js'
import type { GrantUser } from '../grant/userKey.js'
import type { Settings } from '../settings/readOptions.js'

export type SessionTexts = ReturnType<typeof createSessionTexts>

/**
 * The texts of sessions: signed ids for pages, and a note for each lease in the store, for `bff.sessions`. In
 * Redis the user is encrypted.
 */
export function createSessionTexts(
  { redis, userSecret }: Pick<Settings, 'redis' | 'userSecret'>,
  userName: (user: GrantUser) => string | Promise<string>,
) {
  const cipher = redis && userSecret !== undefined ? createCipher(userSecret, 'session notes') : undefined
  return {
    ids: createSigner(userSecret, 'session ids'),
    userName: async (user: GrantUser): Promise<string> => userName(user),
    note: async ({ user }: GrantUser, product: Product): Promise<string> =>
      `${product} ${cipher ? await cipher.encrypt(user) : user}`,
    /** `user` is empty if it was encrypted with another secret. */
    async readNote(note: string): Promise<{ readonly user: string; readonly product: Product } | undefined> {
      const end = note.indexOf(' ')
      const [product, user] = [note.slice(0, end), note.slice(end + 1)]
      if (!isProduct(product)) return undefined
      return { product, user: cipher ? ((await cipher.decrypt(user)) ?? '') : user }
    },
  }
}
