/** A response of the upstream, with its headers parsed to numbers. */
export interface UpstreamResponse {
  readonly status: number
  readonly text: string
  /** The time in `Date`; `undefined` if it was not sent. */
  readonly atMs: number | undefined
  readonly retryAfterMs: number | undefined
  /** Read only to say what was seen. */
  readonly contentType: string | undefined
  /** The coding of a body that could not be decoded. */
  readonly contentEncoding: string | undefined
  readonly location: string | undefined
}
