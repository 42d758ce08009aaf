/**
 * Longest `metadata.session_id`, in UTF-16 units. (Contract: "Limits". Assumptions: "Lengths" for the unit.)
 */
export const SESSION_ID_MAX_LENGTH = 255

/**
 * Limit of requests to the meetings interface. All API keys of an account share it. A request above the limit
 * gets 429. (Contract: "Rate limit": 5 requests per second, burst 25 per 5 seconds.)
 */
export const MEETINGS_RATE = { perSecond: 5, burst: 25, windowMs: 5_000 } as const
