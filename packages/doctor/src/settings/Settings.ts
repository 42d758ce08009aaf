import type { MeetingsWire, Tape } from '@stagepass/contract'

/** The addresses of the service, and the secrets. */
export interface ServiceSettings {
  readonly apiKey: string
  readonly baseUrl: URL
  readonly streamingUrl: URL
  /** Base of the meetings interface. (Assumptions: "Meetings address".) */
  readonly meetingsUrl: URL
  /** Without it, the meetings interface is not checked. */
  readonly meetingsToken: string | undefined
}

/** The voice service as a target. */
export interface ServiceTarget {
  readonly type: 'service'
  readonly service: ServiceSettings
  /** `meetings.wire` of the BFF. Default: the defaults of Stagepass. */
  readonly wire?: MeetingsWire | undefined
  /** If true, the report is `ok` only if the whole wire is proven. Default false. */
  readonly strict?: boolean | undefined
  /** A tape of `recordVoice`, whose messages are compared with those of the service. Default: none. */
  readonly tape?: Tape | undefined
}

/** A mounted BFF that is checked from outside. */
export interface BffTarget {
  readonly type: 'bff'
  /** Address under which the BFF is mounted. */
  readonly url: URL
  /** Cookie of a signed-in user. */
  readonly cookie?: string | undefined
}

/** The target of the checks: the service, or a BFF. */
export type Target = ServiceTarget | BffTarget

/** Time limits. */
export interface Limits {
  /** Time limit for one request or handshake. */
  readonly timeoutMs: number
  /** A handshake counts as accepted if it is not refused for this time after the open. */
  readonly settleMs: number
}

export const LIMITS: Limits = { timeoutMs: 10_000, settleMs: 500 }
