import { z } from 'zod'
import { BFF_ERRORS } from '../errors/bffErrors.js'
import { codesOf } from '../errors/ErrorRow.js'

/**
 * The BFF's `application/problem+json` (RFC 9457) with our members in addition to `type`, `title` and
 * `status`.
 */
export const Problem = z.object({
  /** Address of the code's section in `docs/errors.md`. */
  type: z.string(),
  /** A sentence of the BFF, never text of the upstream. */
  title: z.string(),
  status: z.int(),
  error_code: z.enum(codesOf(BFF_ERRORS)),
  retryable: z.boolean(),
  /** The BFF's id of the request. */
  request_id: z.string(),
  /** The upstream's id of the request, for its support. */
  req_id: z.string().optional(),
  /** The part of the request that was refused. */
  field: z.string().optional(),
  /** Only with USAGE_EXHAUSTED: the time when the user's minutes are reset. */
  resets_at: z.iso.datetime().optional(),
  /** Only with ENDED_BY_SERVER: a text of the host. */
  reason: z.string().optional(),
  /**
   * Milliseconds until the next request may be sent. The header Retry-After has the same value in seconds,
   * rounded up.
   */
  retry_after_ms: z.int().nonnegative().optional(),
})
export type Problem = z.infer<typeof Problem>
