/**
 * Longest `metadata.session_id`, in UTF-16 units. (Contract: "Limits". Assumptions: "Lengths" for the unit.)
 */
export const SESSION_ID_MAX_LENGTH = 255

/**
 * Limit of requests to the meetings interface. All API keys of an account share it. A request above the limit
 * gets 429. (Contract: "Rate limit": 5 requests per second, burst 25 per 5 seconds.)
 */
export const MEETINGS_RATE = { perSecond: 5, burst: 25, windowMs: 5_000 } as const

/**
 * Longest values of the service that come back to the BFF from a page, in UTF-16 units. A longer value is
 * refused when the service sends it. So a page never has a value that a later request may not contain.
 * (Assumptions: "Lengths".)
 */
export const SIZES = {
  /**
   * In the address of a WebSocket and in a header. Servers usually allow 8 KB for the first line of a
   * request, and 8 to 16 KB for all headers.
   */
  sessionKey: 8_192,
  /** In the query of the next page, beside the other parameters and under the same limits. */
  cursor: 4_096,
  /** In a path. */
  meetingId: 256,
  /** Identifier of a tag, in a query with up to 50 of them. */
  tag: 128,
  /** The BFF itself writes it. */
  usageReceipt: 512,
  /** A lease or a place in the queue, in a path. The BFF writes it too. */
  session: 128,
} as const satisfies Record<string, number>
