/** The place of Redis: the path of its socket, its port, or the ports of sentinels or nodes. */
export type RedisPlace =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'single' | 'sentinel' | 'cluster'; readonly ports: readonly number[] }

export interface InstanceSettings {
  readonly redis: RedisPlace
  readonly meetingsUrl: string
  readonly credential: string
  readonly strict: boolean
  readonly seconds: number
  /** Requests of the greedy user that wait in this process at any time. */
  readonly greedyRequests: number
  readonly lightUsers: readonly string[]
}

export interface InstanceReport {
  /** Waits of the light users, in milliseconds. */
  readonly waits: readonly number[]
  /** Number of events of each type. */
  readonly events: Readonly<Record<string, number>>
}
