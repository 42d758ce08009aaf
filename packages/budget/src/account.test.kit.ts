/** The limits of the meetings interface: the ones with which the rules were designed and measured. */
export const ACCOUNT = { limit: 25, windowMs: 5_000 } as const
