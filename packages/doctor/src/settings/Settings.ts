import type { MeetingsWire } from '@stagepass/contract'

/** Where the service is, and with which secrets. The names are those of the demo. */
export interface ServiceSettings {
  readonly apiKey: string
  readonly baseUrl: URL
  readonly streamingUrl: URL
  /** Base of the meetings interface. (Assumptions: "Meetings address".) */
  readonly meetingsUrl: URL
  /** Without it nothing of the meetings interface is checked. */
  readonly meetingsToken: string | undefined
}

/** The voice service, as the doctor reaches it. */
export interface ServiceTarget {
  readonly type: 'service'
  readonly service: ServiceSettings
  /** `meetings.wire` of the BFF. Default: the defaults of Stagepass. */
  readonly wire?: MeetingsWire | undefined
  /** Is the report only `ok` if the whole wire is proven? Default false. */
  readonly strict?: boolean | undefined
}

/** A mounted BFF that is checked from outside. */
export interface BffTarget {
  readonly type: 'bff'
  /** Address of the mount. */
  readonly url: URL
  /** Cookie of a user who is signed in. */
  readonly cookie?: string | undefined
}

/** What to check: the service, or a BFF. */
export type Target = ServiceTarget | BffTarget

/** How long things may take. */
export interface Limits {
  /** For one request or handshake. */
  readonly timeoutMs: number
  /** A handshake that is not refused for so long after the open is accepted. */
  readonly settleMs: number
}

export const LIMITS: Limits = { timeoutMs: 10_000, settleMs: 500 }
