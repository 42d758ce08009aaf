import { z } from 'zod'
import { SIZES } from '../service/limits.js'
import { UsageType } from './sessionToken.js'
import { text } from './text.js'

/** A lease, or a place in the queue: opaque, written by the BFF, of one user and product. */
const SessionId = text(SIZES.session).min(1)

/** Body of the BFF's `POST /sessions`: asks for a session of the account, or for the place in its queue. */
export const SessionRequest = z.strictObject({
  usage_type: UsageType,
  /** Of the last answer. One that is not known is ignored, and the request joins the queue at its end. */
  ticket: SessionId.optional(),
  /** Waits before it asks, for a page in the background, where timers run once a minute. */
  after_ms: z.int().min(0).max(10_000).default(0),
})
export type SessionRequest = z.input<typeof SessionRequest>

/** Body of the BFF's `POST /sessions/:lease`. */
export const SessionRenewal = z.strictObject({
  /** The socket of the lease. `parked`: it is closed in silence, and may open again at any time. */
  holds: z.enum(['opening', 'open', 'parked']).default('open'),
  /** The page is in the background, where timers run once a minute. */
  hidden: z.boolean().default(false),
})
export type SessionRenewal = z.input<typeof SessionRenewal>

/** `full`: two sessions or fewer are free. A page that has a token then asks before it opens. */
export const SessionRoom = z.enum(['free', 'full'])

/** A session may be opened: a 200 of `POST /sessions`, and part of a 200 of `POST /session-token`. */
export const LeaseAnswer = z.object({
  lease: z.string().min(1),
  /** Send `POST /sessions/:lease` after this time. */
  renew_in_ms: z.int().nonnegative(),
  sessions: SessionRoom,
})
export type LeaseAnswer = z.infer<typeof LeaseAnswer>

/** No session is free: a 202 of `POST /sessions`, and of `POST /session-token`, which has minted nothing. */
export const QueueAnswer = z.object({
  ticket: z.string().min(1),
  /** The place in the queue, from 1, and the requests in it. `null` while they are not known. */
  place: z.int().positive().nullable(),
  of: z.int().positive().nullable(),
  /** Send `POST /sessions` with the ticket after this time. */
  retry_in_ms: z.int().nonnegative(),
  sessions: SessionRoom,
})
export type QueueAnswer = z.infer<typeof QueueAnswer>

/** The 200 of `POST /sessions/:lease`. */
export const RenewalAnswer = LeaseAnswer.omit({ lease: true })
export type RenewalAnswer = z.infer<typeof RenewalAnswer>
