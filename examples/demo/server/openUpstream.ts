import { createEmulator, type Emulator } from '@stagepass/emulator'

/** The addresses and secrets for the BFF. The secrets stay in this process. */
interface Upstream {
  readonly bffOptions: Emulator['bffOptions']
  /** The API key of a customer. `undefined`: it has none of its own. */
  readonly keyOf: (customer: string | undefined) => string | undefined
  /** `undefined`: without meetings. */
  readonly meetingsCredential: string | undefined
  /** `undefined`: the `VOICE_*` variables name the real service. */
  readonly emulator: Emulator | undefined
}

const REQUIRED = ['VOICE_API_KEY', 'VOICE_BASE_URL', 'VOICE_STREAMING_URL'] as const

/** The real service if the `VOICE_*` variables are set. Otherwise it starts an emulator. */
export async function openUpstream(environment: NodeJS.ProcessEnv): Promise<Upstream> {
  const missing = REQUIRED.filter((name) => !environment[name])
  if (missing.length === REQUIRED.length) {
    const keys: Readonly<Record<string, string>> = {
      Tidewater: 'demo_key_of_tidewater',
      Queue: 'demo_key_of_the_queue',
    }
    const emulator = await createEmulator({
      keys: Object.entries(keys).map(([account, key]) => ({ key, account })),
      // The stricter of two assumptions, because it shows more. (Assumptions: "Live sockets at expiry".)
      cutAtExpiry: true,
      // A delay that users can see.
      latency: { ms: 60, jitterMs: 30 },
      // The demo runs on this machine only, also if NODE_ENV is "production".
      environment: {},
    })
    const { bffOptions, meetingsCredential } = emulator
    return { bffOptions, keyOf: (customer = '') => keys[customer], meetingsCredential, emulator }
  }
  if (missing.length > 0) {
    throw new Error(
      `Failed to start the demo: ${missing.join(' and ')} is missing. Set ${REQUIRED.join(', ')} together, or none of them for the emulator.`,
    )
  }
  const [apiKey = '', baseUrl = '', streamingUrl = ''] = REQUIRED.map((name) => environment[name])
  const meetings = { baseUrl: environment.VOICE_MEETINGS_URL || baseUrl }
  return {
    keyOf: () => undefined,
    bffOptions: { apiKey, baseUrl, streamingUrl, meetings },
    meetingsCredential: environment.VOICE_MEETINGS_TOKEN || undefined,
    emulator: undefined,
  }
}
