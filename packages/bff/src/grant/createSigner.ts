import { createHmac, type Hmac } from '../base/keys.js'
import { newId } from '../base/platform.js'
import { sameText } from '../base/sameText.js'
import type { GrantUser } from './userKey.js'

/**
 * Signs facts about a user that a page keeps and sends back. A signed text contains the facts without the user,
 * and an HMAC over both. All instances with the same secret can read it. Without a secret only this instance
 * can.
 */
export function createSigner(secret: string | undefined, purpose: Parameters<typeof createHmac>[1]) {
  let hmac: Hmac | undefined
  const sign = ({ user, account }: GrantUser, facts: string): Promise<string> => {
    // Not earlier, because Cloudflare Workers have no random numbers before the first request.
    hmac ??= createHmac(secret ?? newId(), purpose)
    return hmac(JSON.stringify(account === undefined ? [user, facts] : [account, user, facts]))
  }
  return {
    write: async (user: GrantUser, facts: string): Promise<string> => `${facts}.${await sign(user, facts)}`,
    /**
     * Returns the facts, or `undefined` if the text was changed, belongs to another user, or was signed with
     * another secret.
     */
    async read(user: GrantUser, text: string): Promise<string | undefined> {
      const end = text.lastIndexOf('.')
      const facts = text.slice(0, Math.max(0, end))
      return sameText(text.slice(end + 1), await sign(user, facts)) ? facts : undefined
    },
  }
}
