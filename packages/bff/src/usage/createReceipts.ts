import { isProduct, type Product } from '@stagepass/contract'
import { sameText } from '../context/sameText.js'
import { createHmac } from '../crypto/keys.js'
import { toBase64Url } from '../crypto/base64.js'

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

const ID_BYTES = 12

/** A name that nobody can guess: 96 bits. */
export const newReservationId = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(ID_BYTES)))

/**
 * Receipts of tokens, for the page: facts and an HMAC over them and the user. Without a secret it is made at
 * the first use, and other instances refuse the receipts.
 */
export function createReceipts(secret: string | undefined) {
  let hmac: ReturnType<typeof createHmac> | undefined
  const sign = (user: string, facts: string): Promise<string> => {
    hmac ??= createHmac(secret ?? newReservationId() + newReservationId(), 'usage receipts')
    return hmac(JSON.stringify([user, facts]))
  }
  return {
    async write(user: string, { product, day, reservedMs, atMs, id }: ReceiptFacts): Promise<string> {
      const facts = [product, day, reservedMs, atMs, id].join('.')
      return `${facts}.${await sign(user, facts)}`
    },
    /** `undefined` if it was changed, is another user's, or was signed with another secret. */
    async read(user: string, receipt: string): Promise<ReceiptFacts | undefined> {
      const end = receipt.lastIndexOf('.')
      const facts = receipt.slice(0, Math.max(0, end))
      if (!sameText(receipt.slice(end + 1), await sign(user, facts))) return undefined
      const [product, day = '', reservedMs, atMs, id = ''] = facts.split('.')
      if (!isProduct(product)) return undefined
      return { product, day, reservedMs: Number(reservedMs), atMs: Number(atMs), id }
    },
  }
}
