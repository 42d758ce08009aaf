import { createBff } from '@stagepass/bff/fetch'
import { createBrowserEmulator } from '@stagepass/emulator/browser'
import { createVoiceClient } from '@stagepass/react'
import { QueryClient } from '@tanstack/react-query'
import { allowInProduction } from './allowInProduction.js'
import { MEETINGS } from './tabs/meetings.js'
import { createWireLog } from './wire/createWireLog.js'

/** A service, a BFF and a page, all of them in this page. */
export function createRoom() {
  const emulator = createBrowserEmulator({
    ...allowInProduction(),
    latency: { ms: 80, jitterMs: 60 },
    meetings: MEETINGS,
    credentials: ['ada', 'ben'].map((user) => ({ credential: `credential-of-${user}`, holder: user })),
  })
  // In place of a login session.
  let signedIn: string | null = 'ada'
  const bff = createBff({
    ...emulator.bffOptions,
    authorize: () => signedIn && { user: signedIn, meetings: { credential: `credential-of-${signedIn}` } },
    // Its operator is who looks at the page, which shows each error itself.
    logger: false,
  })
  return {
    emulator,
    signIn: (user: string | null): void => {
      signedIn = user
    },
    voice: createVoiceClient(emulator.clientOptions(bff)),
    queryClient: new QueryClient(),
    log: createWireLog(),
  }
}
