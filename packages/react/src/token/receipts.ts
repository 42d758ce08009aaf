import type { SessionToken } from './SessionToken.js'

const receipts = new WeakMap<SessionToken, string>()

/** Keeps the receipt that came with a token. Any other value is none. */
export function keepReceipt(token: SessionToken, receipt: unknown): void {
  if (typeof receipt === 'string' && receipt !== '') receipts.set(token, receipt)
}

/** Takes the receipt of a token: it counts once. */
export function takeReceipt(token: SessionToken): string | undefined {
  const receipt = receipts.get(token)
  receipts.delete(token)
  return receipt
}

export const hasReceipt = (token: SessionToken): boolean => receipts.has(token)
