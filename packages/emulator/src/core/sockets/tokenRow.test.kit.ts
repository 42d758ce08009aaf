/** A token that does not expire. */
export const TOKEN_ROW = {
  sessionKey: 's',
  product: 'stt',
  keyId: 1,
  account: 'main',
  status: 'active',
  issuedAtMs: 0,
  expiresAtMs: Infinity,
} as const
