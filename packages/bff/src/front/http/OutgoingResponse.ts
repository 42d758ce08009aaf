/** A response that a host adapter sends. */
export interface OutgoingResponse {
  readonly status: number
  /** All headers except the length of the body, which the host adds. */
  readonly headers: Record<string, string>
  /** JSON text, or a sentence for a person; empty for a 204. */
  readonly body: string
  /** True if the connection must be closed after the response. */
  readonly closeConnection: boolean
}
