import { createBff } from '@stagepass/bff'

/** The voice routes for the users of this application. All that Stagepass adds to the server is this file and the line that mounts it. */
export function createVoice(
  env: NodeJS.ProcessEnv,
  log: (event: object) => void = () => {},
): ReturnType<typeof createBff> {
  return createBff({
    apiKey: env.VOICE_API_KEY,
    baseUrl: env.VOICE_BASE_URL,
    streamingUrl: env.VOICE_STREAMING_URL,
    authorize: (req) => {
      const user = req.session.userId
      if (user === undefined) return null
      return {
        user,
        products: ['stt', 'tts'],
        maxTtlMinutes: 30,
        meetings: { credential: env.VOICE_MEETINGS_TOKEN ?? '', ownership: 'mine' },
      }
    },
    meetings: { baseUrl: env.VOICE_MEETINGS_URL },
    onEvent: log,
  })
}

export type Voice = ReturnType<typeof createVoice>
