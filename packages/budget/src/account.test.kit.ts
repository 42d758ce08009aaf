/** The limits of the meetings interface. The rules were designed and measured with them. */
export const ACCOUNT = { limit: 25, windowMs: 5_000 } as const
