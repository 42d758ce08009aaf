import type { LostReason } from '@stagepass/contract'

/*
 * Why a stream reconnects. The reason is found in one of three places: the socket was closed
 * (`stream/wire/createConnections.ts`), a watch of the stream found it dead (`stream/createStream.ts`), or
 * the state machine closed it (`stream/machine/transition.ts` and `rollover.ts`).
 */

/** Why a stream lost its connection: `failureReason.lostBy`. */
export type LostBy = keyof typeof LOST_BY

const isDevelopment = process.env.NODE_ENV !== 'production'

/** Each reason of the contract with its sentence in a development build. */
export const LOST_BY = {
  close: isDevelopment && 'The service or the network closed the connection.',
  refusal: isDevelopment && 'The service ended the connection, and said why.',
  expiry: isDevelopment && 'The service closed the connection when its token expired.',
  stall: isDevelopment && 'For five seconds no data has left the browser.',
  silence: isDevelopment && 'The service has sent nothing for `reconnect.silenceMs`.',
  unanswered:
    isDevelopment &&
    'The service has sent nothing for speech, longer than it usually takes, and another connection was answered or could not be tried beside.',
  sleep: isDevelopment && 'The machine was asleep, so the connection is lost.',
  away: isDevelopment && 'The network was lost and is back, or the page was frozen or left.',
  rollover:
    isDevelopment &&
    'Planned: the token expires soon, and the service does not allow a second session; or the codec has changed what it sends first.',
} as const satisfies Record<LostReason, string | false>
