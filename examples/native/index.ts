import { createVoiceClient } from '@stagepass/react'
import { QueryClient } from '@tanstack/react-query'
import { registerRootComponent } from 'expo'
import { createElement } from 'react'
import { App } from './App'
import { connectPhone } from './connectPhone'
import { createSession } from './createSession'

/** The server of `npm run server`. Expo puts variables with this prefix into the bundle. */
const SERVER = process.env.EXPO_PUBLIC_SERVER ?? 'http://localhost:3000'

const session = createSession(SERVER)
const voice = createVoiceClient({ url: `${SERVER}/api/voice`, headers: session.headers })
const queryClient = new QueryClient()

connectPhone()
registerRootComponent(() => createElement(App, { session, voice, queryClient }))
