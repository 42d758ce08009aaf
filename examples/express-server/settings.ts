/** What this server reads from the environment. */
export interface Settings {
  readonly port: number
  /** The address in the browser's address bar. It decides how the session cookie is set. */
  readonly publicOrigin: string
  /** Signs the session cookie. */
  readonly sessionSecret: string
  /** Password of the example's two users. */
  readonly password: string
  readonly voice: VoiceSettings
}

export interface VoiceSettings {
  readonly apiKey: string
  readonly baseUrl: string
  readonly streamingUrl: string
  readonly meetingsUrl: string | undefined
  readonly meetingsCredential: string
}

/** Throws if anything is missing. An empty secret would otherwise be found by the first user, not by whoever starts the server. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const required = (name: string, hint: string): string => {
    const value = environment[name]
    if (value) return value
    throw new Error(`Failed to start: ${name} is not set. Set it to ${hint}.`)
  }
  const sessionSecret = required('SESSION_SECRET', 'a random text of at least 32 characters')
  if (sessionSecret.length < 32) {
    throw new Error(
      'Failed to start: SESSION_SECRET is too short. Set it to a random text of at least 32 characters.',
    )
  }
  return {
    port: Number(environment.PORT ?? 3000),
    publicOrigin: readOrigin(required('PUBLIC_ORIGIN', 'the address of this site, as a browser shows it')),
    sessionSecret,
    password: required('EXAMPLE_PASSWORD', "the password of the example's users"),
    voice: {
      apiKey: required('VOICE_API_KEY', 'the API key of the voice service'),
      baseUrl: required('VOICE_BASE_URL', 'the address of the token endpoint'),
      streamingUrl: required('VOICE_STREAMING_URL', 'the address of the WebSockets'),
      meetingsUrl: environment.VOICE_MEETINGS_URL,
      meetingsCredential: required('VOICE_MEETINGS_TOKEN', 'the credential of the meetings interface'),
    },
  }
}

/** Only a browser on the same machine may come over plain http: anyone on the network path could read the cookie. */
function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const local = url !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && local)) return url.origin
  throw new Error(
    'Failed to start: PUBLIC_ORIGIN must be an https address, or an http address of localhost for development.',
  )
}
