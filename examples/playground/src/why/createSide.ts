import { createBrowserEmulator } from '@stagepass/emulator/browser'
import { allowInProduction } from '../allowInProduction.js'
import { MEETINGS } from '../tabs/meetings.js'
import { mount as mountByHand } from './byHand/server.js'
import { createExpress, requestOf } from './inPage/createExpress.js'
import { createServiceFetch } from './inPage/createServiceFetch.js'
import { mount as mountKit } from './kit/server.js'
import type { Counts, Side, User } from './Side.js'

/** In place of a session cookie, which a page cannot set on its requests. */
const SESSION = 'x-session'
const FRAME_MS = 100

export function createSide(code: 'byHand' | 'kit'): Side {
  const emulator = createBrowserEmulator({
    ...allowInProduction(),
    // Without jitter: requests arrive in the order in which they were sent.
    latency: { ms: 80 },
    meetings: MEETINGS,
    credentials: (['ada', 'ben'] as const).map((user) => ({ credential: keyOf(user), holder: user })),
  })
  const server = code === 'kit' ? kitServer(emulator) : byHandServer(emulator)
  const counts: Counts = { opened: 0, refused: 0, tokens: 0, limited: 0 }
  const owners = new Map<string, User>()
  const askedBy = new Map<number, User>()
  let asking: User = 'ada'
  const microphones = new Set<ReturnType<typeof setInterval>>()

  emulator.onWire((event) => {
    if (event.type === 'opened') counts.opened += 1
    if (event.type === 'refused') counts.refused += 1
    if (event.type === 'request' && event.from === 'bff') askedBy.set(event.id, asking)
    if (event.type !== 'response') return
    const owner = askedBy.get(event.id)
    if (!owner) return
    if (event.status === 429) counts.limited += 1
    const key = /"session_key":\s*"([^"]+)"/.exec(event.body)?.[1]
    if (!key) return
    counts.tokens += 1
    owners.set(key, owner)
  })

  return {
    emulator,
    counts,
    signIn(user) {
      const clientOptions = emulator.clientOptions({
        fetch(request) {
          asking = user()
          const headers = new Headers(request.headers)
          headers.set(SESSION, asking)
          return server.fetch(new Request(request, { headers }))
        },
      })
      const browser = { fetch: clientOptions.fetch, WebSocket: emulator.WebSocket, listen }
      return { browser, clientOptions }
    },
    socketOf: () => owners.get(emulator.sockets.at(-1)?.sessionKey ?? ''),
    mute,
    close() {
      mute()
      emulator.close()
    },
  }

  function mute(): void {
    for (const timer of microphones) clearInterval(timer)
  }

  /** A tone, as a microphone would give it. */
  function listen(onFrame: (frame: ArrayBuffer) => void): () => void {
    const samples = Float32Array.from({ length: 16 * FRAME_MS }, (_, at) => Math.sin(at * 0.086))
    const timer = setInterval(
      () => onFrame(Int16Array.from(samples, (level) => level * 8_000).buffer),
      FRAME_MS,
    )
    microphones.add(timer)
    return () => clearInterval(timer)
  }
}

type Emulator = ReturnType<typeof createBrowserEmulator>

const keyOf = (user: User): string => `credential-of-${user}`

const userOf = (request: Request): { readonly id: User; readonly meetingsKey: string } | null => {
  const id = request.headers.get(SESSION)
  return id === 'ada' || id === 'ben' ? { id, meetingsKey: keyOf(id) } : null
}

const kitServer = ({ bffOptions }: Emulator) =>
  // Its operator is who looks at the page, which shows each error itself.
  mountKit({ ...bffOptions, logger: false, currentUser: userOf })

const byHandServer = ({ bffOptions, meetingsUrl }: Emulator) =>
  createExpress((app) =>
    mountByHand(app, {
      ...bffOptions,
      meetingsUrl,
      fetch: createServiceFetch(bffOptions.transport),
      currentUser: (req) => userOf(requestOf(req)),
    }),
  )
