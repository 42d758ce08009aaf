/** Where an instance finds Redis: the path of its socket, its port, or the ports of sentinels or nodes. */
export type RedisPlace =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'single' | 'sentinel' | 'cluster'; readonly ports: readonly number[] }

export interface InstanceSettings {
  readonly redis: RedisPlace
  readonly meetingsUrl: string
  readonly credential: string
  readonly strict: boolean
  readonly seconds: number
  /** Requests of the greedy user that wait at any time, of this process. */
  readonly greedyRequests: number
  readonly lightUsers: readonly string[]
}

export interface InstanceReport {
  /** Of the light users, in milliseconds. */
  readonly waits: readonly number[]
  /** How often each event came. */
  readonly events: Readonly<Record<string, number>>
}
