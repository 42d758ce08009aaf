import { isProduct, type Product } from '@stagepass/contract'
import { sameText } from '../context/sameText.js'
import { createHmac } from '../crypto/keys.js'

/** What a receipt says. Its user is not in it: it is the receipt of one user, and is read with that user. */
export interface ReceiptFacts {
  readonly product: Product
  /** The day from whose minutes the token took its own. */
  readonly day: string
  /** The life of the token. */
  readonly reservedMs: number
  /** When it was minted, on the clock of the instance. */
  readonly atMs: number
  /** The name of the reservation. */
  readonly id: string
}

/** Receipts of tokens, for the page. */
export interface Receipts {
  write(user: string, facts: ReceiptFacts): string | Promise<string>
  /** `undefined` if it was changed, is another user's, or is not from here. */
  read(user: string, receipt: string): ReceiptFacts | undefined | Promise<ReceiptFacts | undefined>
}

/** Facts, and an HMAC over them and the user: all instances with the secret can read it. */
export function createSignedReceipts(secret: string): Receipts {
  const hmac = createHmac(secret, 'usage receipts')
  const sign = (user: string, facts: string): Promise<string> => hmac(JSON.stringify([user, facts]))
  return {
    async write(user, { product, day, reservedMs, atMs, id }) {
      const facts = [product, day, reservedMs, atMs, id].join('.')
      return `${facts}.${await sign(user, facts)}`
    },
    async read(user, receipt) {
      const end = receipt.lastIndexOf('.')
      const facts = receipt.slice(0, Math.max(0, end))
      if (!sameText(receipt.slice(end + 1), await sign(user, facts))) return undefined
      const [product, day = '', reservedMs, atMs, id = ''] = facts.split('.')
      if (!isProduct(product)) return undefined
      return { product, day, reservedMs: Number(reservedMs), atMs: Number(atMs), id }
    },
  }
}
