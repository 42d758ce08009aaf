/**
 * True for a secret that was copied with the scheme before it, as a header has it: `Bearer x`, `api-key x`.
 * Every sender adds the scheme itself.
 */
export const hasScheme = (secret: string): boolean =>
  /^(?:authorization\s*:|(?:bearer|api-key|basic|token)\s)/i.test(secret)
