import type { MeetingsWire } from '@stagepass/contract'

/** A voice service that `describeService` examines: an emulator, or a real one. */
export interface Service extends AsyncDisposable {
  readonly apiKey: string
  /** `{base_url}` of the token endpoint. */
  readonly baseUrl: string
  /** `{streaming_url}` of the sockets. */
  readonly streamingUrl: string
  /** Without it, nothing about meetings is provable. */
  readonly meetings?: ServiceMeetings | undefined
  /** As the global `fetch`. For a real service it keeps its requests apart. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /**
   * Only if the suite may use up the request rate and the simultaneous sessions of the account. Resolves when
   * the account has had no request for five seconds.
   */
  readonly waitForQuiet?: (() => Promise<void>) | undefined
  /** Only for a service whose data we control. Then each proof must succeed. */
  readonly inside?: ServiceInside | undefined
}

export interface ServiceMeetings {
  /** The base of the paths in `wire`. */
  readonly url: string
  readonly credential: string
  /** Paths and names that the contract does not show. */
  readonly wire: MeetingsWire
}

interface ServiceInside {
  /** Makes the next token request with the returned key fail with this code. */
  refuseWith(code: string): string
  /** Moves the service's clock forward. */
  passTime(ms: number): void
  /** Ids of meetings that the key holder must not see in the list. */
  readonly hidden: { readonly publicLink: string; readonly workspace: string; readonly processing: string }
  /** A word that is only in the transcript of a listed meeting. */
  readonly transcriptWord: string
}
