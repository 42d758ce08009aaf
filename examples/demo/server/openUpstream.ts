import type { Emulator } from '@stagepass/emulator'
import { createEmulator } from '@stagepass/emulator'

/** Where the BFF of the demo calls, and with which secrets. They stay in this process. */
export interface Upstream {
  readonly bffOptions: Emulator['bffOptions']
  /** `undefined`: this demo has no meetings. */
  readonly meetingsCredential: string | undefined
  /** Fields that the list or a meeting has beside the documented ones. */
  readonly extraFields: readonly string[]
  /** There unless the `VOICE_*` variables name the real service. */
  readonly emulator: Emulator | undefined
  close(): Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

const REQUIRED = ['VOICE_API_KEY', 'VOICE_BASE_URL', 'VOICE_STREAMING_URL'] as const

/** The real service where the `VOICE_*` variables are set, else an emulator of its own. */
export async function openUpstream(environment: Environment): Promise<Upstream> {
  const missing = REQUIRED.filter((name) => !environment[name])
  if (missing.length === REQUIRED.length) return openEmulator()
  if (missing.length > 0) {
    throw new Error(
      `Failed to start the demo: ${missing.join(' and ')} is missing. Set ${REQUIRED.join(', ')} together, or none of them for the emulator.`,
    )
  }
  const [apiKey = '', baseUrl = '', streamingUrl = ''] = REQUIRED.map((name) => environment[name])
  return {
    bffOptions: {
      apiKey,
      baseUrl,
      streamingUrl,
      meetings: { baseUrl: environment.VOICE_MEETINGS_URL || baseUrl },
    },
    meetingsCredential: environment.VOICE_MEETINGS_TOKEN || undefined,
    extraFields: [],
    emulator: undefined,
    close: async () => {},
  }
}

/** By these the list is sorted. The documented fields have neither, so only the emulator can send them. */
const SORT_DATES = ['created_at', 'updated_at'] as const

async function openEmulator(): Promise<Upstream> {
  const emulator = await createEmulator({
    // The stricter of two possibilities, because it shows more. (Assumptions: "Live sockets at expiry".)
    cutAtExpiry: true,
    // A round trip that a person can see.
    latency: { ms: 60, jitterMs: 30 },
    // `vite preview` itself puts NODE_ENV=production into this process; this emulator serves a demo on
    // loopback.
    environment: {},
    wire: { extraFields: SORT_DATES },
  })
  const { bffOptions, meetingsCredential } = emulator
  return {
    bffOptions,
    meetingsCredential,
    // The emulator has the last two in a single meeting. (Assumptions: "One meeting".)
    extraFields: [...SORT_DATES, 'notes', 'transcript'],
    emulator,
    close: () => emulator.close(),
  }
}
