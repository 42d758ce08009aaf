import { isProduct, type Product } from '@stagepass/contract'
import { sameText } from '../base/sameText.js'
import { newId } from '../base/platform.js'
import { createHmac, type Hmac } from '../base/keys.js'
import type { GrantUser } from '../grant/userKey.js'

/** A token whose lifetime was subtracted from the minutes of its user. */
export interface Reservation extends GrantUser {
  readonly product: Product
  /** The day of the minutes, such as `2030-01-31`. */
  readonly day: string
  /** Lifetime of the token: as requested, or less. */
  readonly reservedMs: number
  /** Unique id. */
  readonly id: string
}

/** The reservation without its user. */
export const factsOf = ({ product, day, reservedMs, id }: Reservation): string =>
  [product, day, reservedMs, id].join('.')

export function readFacts({ user, account }: GrantUser, facts: string): Reservation | undefined {
  const [product, day = '', reservedMs, id = ''] = facts.split('.')
  return isProduct(product) ? { user, account, product, day, reservedMs: Number(reservedMs), id } : undefined
}

/**
 * Receipts for the page. A receipt contains a reservation without its user, and an HMAC over both. All
 * instances with the same secret can read it. Without a secret only this instance can.
 */
export function createReceipts(secret: string | undefined) {
  let hmac: Hmac | undefined
  const sign = ({ user, account }: GrantUser, facts: string): Promise<string> => {
    // Not earlier, because Cloudflare Workers have no random numbers before the first request.
    hmac ??= createHmac(secret ?? newId(), 'usage receipts')
    return hmac(JSON.stringify(account === undefined ? [user, facts] : [account, user, facts]))
  }
  return {
    async write(reservation: Reservation): Promise<string> {
      const facts = factsOf(reservation)
      return `${facts}.${await sign(reservation, facts)}`
    },
    /**
     * Returns `undefined` if the receipt was changed, belongs to another user, or was signed with another
     * secret.
     */
    async read(user: GrantUser, receipt: string): Promise<Reservation | undefined> {
      const end = receipt.lastIndexOf('.')
      const facts = receipt.slice(0, Math.max(0, end))
      if (!sameText(receipt.slice(end + 1), await sign(user, facts))) return undefined
      return readFacts(user, facts)
    },
  }
}
