/*
 * Why a stream reconnects. What ends an open connection is found in one of three places: the socket was
 * closed (`stream/wire/createConnections.ts`), a watch of the stream found it dead
 * (`stream/createStream.ts`), or the machine gave it up (`stream/machine/transition.ts` and `rollover.ts`).
 */

/** What ended the connection of a stream: `failureReason.lostBy`. */
export type LostBy = keyof typeof LOST_BY

// Bundlers replace it.
declare const process: { readonly env: { readonly NODE_ENV?: string } }
const isDevelopment = process.env.NODE_ENV !== 'production'

/** Each with the sentence of a development build. */
export const LOST_BY = {
  close: isDevelopment && 'The service or the network closed the connection.',
  refusal: isDevelopment && 'The service ended the connection, and said why.',
  expiry: isDevelopment && 'The service closed the connection at the end of its token.',
  stall: isDevelopment && 'Nothing that was sent has left the browser for five seconds.',
  silence: isDevelopment && 'The service has sent nothing for `reconnect.silenceMs`.',
  sleep: isDevelopment && 'The machine was asleep. What was connected before is lost.',
  away: isDevelopment && 'The network was lost, or the page was frozen or left.',
  rollover:
    isDevelopment && 'Planned: the token ends, and the service allows no second session beside this one.',
} as const
