import type { HandshakeErrorCode, MeetingsErrorCode, TokenErrorCode } from '@stagepass/contract'
import { useQuery } from '@tanstack/react-query'
import type { DemoUser } from '../users/users.js'

/** What the demo's server says of itself; see server/demoRoutes.ts. */
export interface DemoState {
  readonly upstream: 'emulator' | 'service'
  readonly address: string
  /** There when faults can be injected. */
  readonly faultCodes?: {
    readonly token: readonly TokenErrorCode[]
    readonly handshake: readonly HandshakeErrorCode[]
    readonly meetings: readonly MeetingsErrorCode[]
  }
  /** Meetings that are not in the list yet. */
  readonly processing: readonly { readonly id: string; readonly title: string | null }[]
}

export function useDemoState(user: DemoUser | null): DemoState | undefined {
  const { data } = useQuery({
    queryKey: ['demo-state', user],
    enabled: user !== null,
    queryFn: async ({ signal }): Promise<DemoState> => {
      const response = await fetch('/api/demo/state', { signal })
      return (await response.json()) as DemoState
    },
    staleTime: Infinity,
  })
  return data
}
