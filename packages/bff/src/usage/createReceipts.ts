import { isProduct, type Product } from '@stagepass/contract'
import { createSigner } from '../grant/createSigner.js'
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

/** Receipts for the page: signed reservations. */
export function createReceipts(secret: string | undefined) {
  const signer = createSigner(secret, 'usage receipts')
  return {
    write: (reservation: Reservation): Promise<string> => signer.write(reservation, factsOf(reservation)),
    /** Returns `undefined` if the receipt was changed, belongs to another user, or has another secret. */
    async read(user: GrantUser, receipt: string): Promise<Reservation | undefined> {
      const facts = await signer.read(user, receipt)
      return facts === undefined ? undefined : readFacts(user, facts)
    },
  }
}
