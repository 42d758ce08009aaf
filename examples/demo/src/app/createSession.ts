import type { VoiceClient } from '@stagepass/react'
import { createVoiceClient } from '@stagepass/react'
import { QueryClient } from '@tanstack/react-query'
import type { WireLog } from '../wire/createWireLog.js'
import { describeEvent } from '../wire/describeEvent.js'
import { tapFetch } from '../wire/tapFetch.js'
import type { DemoUser } from '../state/users.js'

/** Everything that belongs to one signed-in user. Another user gets another one, so nothing is carried over. */
export interface Session {
  readonly user: DemoUser
  readonly voice: VoiceClient
  readonly queryClient: QueryClient
}

export function createSession(user: DemoUser, log: WireLog): Session {
  return {
    user,
    queryClient: new QueryClient(),
    voice: createVoiceClient({
      url: '/api/voice',
      headers: () => ({ 'x-demo-user': user }),
      shareAcrossTabs: true,
      fetch: tapFetch(log),
      onEvent: (event) => log.add(describeEvent(event)),
    }),
  }
}
