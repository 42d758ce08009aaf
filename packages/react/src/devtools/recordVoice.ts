import {
  createTapeWriter,
  HANDSHAKE_ERRORS,
  hasCode,
  isObject,
  type Refusal,
  type RefusalCause,
  type TapedData,
  type TapeMoment,
} from '@stagepass/contract'
import type { QueryClient } from '@tanstack/react-query'
import { clientOf, type VoiceClient } from '../client/createVoiceClient.js'
import type { OpenSocket, ReceivedData, SendData } from '../platform/socket.js'
import { metersOf } from '../vitals/metersOf.js'
import { createScrub } from './createScrub.js'

/** Second argument of `recordVoice`. */
export interface RecordVoiceOptions {
  /** The names of the participants in its meetings are removed from the tape, with their e-mail addresses. */
  readonly queryClient?: QueryClient | undefined
  /** Names and other words to remove, such as those of the user. */
  readonly hide?: readonly string[] | undefined
  /**
   * True: the tape has the sound of both sides, up to 64 MB of it: a quarter of an hour. It is the voice of the
   * user, and nothing is removed from it. Default false: sizes of sound.
   */
  readonly sound?: boolean | undefined
}

/** A running recording. */
export interface VoiceRecording {
  /** The tape so far: the text of a `.voicetape`. */
  read(): string
  /** Ends the recording, and returns the tape. */
  stop(): string
}

/** A page that never stops its recording must not use up the memory. */
const MOST_MOMENTS = 500_000
const MOST_SOUND_BYTES = 64_000_000

/**
 * Records what happens on the connections of a voice client: texts, sizes of sound, and times, from the next
 * connection on. It ends when the user changes. Tokens, keys, e-mail addresses and the given names are removed;
 * what else was said is in the tape, so ask the user before you send it.
 *
 * @example
 * const recording = recordVoice(voice, { queryClient })
 * download(new Blob([recording.stop()]), 'session.voicetape')
 */
export function recordVoice(
  voice: VoiceClient,
  { queryClient, hide = [], sound = false }: RecordVoiceOptions = {},
): VoiceRecording {
  const client = clientOf(voice)
  const { platform, tap } = client
  const startedAt = new Date(platform.wallNow()).toISOString()
  const start = platform.now()
  // Kept as they are, because a name may become known after it was said.
  const moments: TapeMoment[] = []
  const secrets = new Set<string>()
  const names = new Set(hide)
  if (client.user) names.add(client.user)
  let connections = 0
  let soundBytes = 0
  let isOver = false

  function add(moment: TapeMoment): void {
    if (!isOver && moments.length < MOST_MOMENTS) moments.push(moment)
  }
  const at = (): number => platform.now() - start

  /** What the tape has of a message. */
  function tapedOf(data: SendData | ReceivedData): TapedData {
    if (typeof data === 'string') return data
    // A `Blob` cannot be read at once.
    if (data instanceof Blob) return data.size
    if (!sound || soundBytes + data.byteLength > MOST_SOUND_BYTES) return data.byteLength
    soundBytes += data.byteLength
    // A copy, because the application may use its memory again.
    return ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
      : new Uint8Array(data).slice()
  }

  function addNames(): void {
    for (const { state } of queryClient?.getQueryCache().getAll() ?? []) namesIn(state.data, names)
  }

  const before = tap.wrap
  const wrap: NonNullable<typeof tap.wrap> = (given, product) => {
    const open = before?.(given, product) ?? given
    return recorded(open, (access) => {
      secrets.add(access.token.value)
      const n = (connections += 1)
      add({ at: at(), type: 'connect', n, product })
      return (moment) =>
        add(
          'data' in moment
            ? { ...moment, data: tapedOf(moment.data), at: at(), n }
            : { ...moment, at: at(), n },
        )
    })
  }
  tap.wrap = wrap
  addNames()
  const stops = [
    () => {
      if (tap.wrap === wrap) tap.wrap = before
    },
    queryClient?.getQueryCache().subscribe(({ type, query }) => {
      if (type === 'updated') namesIn(query.state.data, names)
    }),
    voice.subscribe((event) => {
      if (event.type === 'client.reset') return end()
      const { at: _wall, ...value } = event
      add({ at: at(), type: 'event', value: { ...value } })
    }),
    metersOf(client).subscribe(({ at: notedAt, ...note }, product, key) =>
      add({ at: Math.max(0, notedAt - start), type: 'note', value: { ...note, product, key } }),
    ),
  ]

  function end(): void {
    isOver = true
    for (const stop of stops.splice(0)) stop?.()
  }

  function read(): string {
    const scrub = createScrub({ secrets, names })
    const writer = createTapeWriter(startedAt)
    for (const moment of moments) writer.add(withoutSecrets(moment, scrub))
    return writer.take()
  }

  return {
    read,
    stop() {
      end()
      return read()
    },
  }
}

type Scrub = ReturnType<typeof createScrub>

function withoutSecrets(moment: TapeMoment, scrub: Scrub): TapeMoment {
  switch (moment.type) {
    case 'in':
    case 'out':
      return typeof moment.data === 'string' ? { ...moment, data: scrub.text(moment.data) } : moment
    case 'close':
      return { ...moment, reason: scrub.text(moment.reason) }
    case 'event':
    case 'note':
      return { ...moment, value: scrub.value(moment.value) as Readonly<Record<string, unknown>> }
    default:
      return moment
  }
}

type OwnMoment =
  | { readonly type: 'open' | 'end' }
  | { readonly type: 'in' | 'out'; readonly data: SendData | ReceivedData }
  | {
      readonly type: 'close'
      readonly code: number
      readonly reason: string
      readonly refused: RefusalCause | undefined
    }

/** The same function, which tells what happens on its sockets. */
function recorded(
  open: OpenSocket,
  begin: (access: Parameters<OpenSocket>[2]) => (moment: OwnMoment) => void,
): OpenSocket {
  return (url, listener, access) => {
    const tell = begin(access)
    let isClosed = false
    const socket = open(
      url,
      {
        ...listener,
        opened() {
          tell({ type: 'open' })
          listener.opened()
        },
        received(data) {
          tell({ type: 'in', data })
          listener.received(data)
        },
        closed(code, reason, refusal) {
          isClosed = true
          tell({ type: 'close', code, reason, refused: causeOf(refusal) })
          listener.closed(code, reason, refusal)
        },
      },
      access,
    )
    return {
      ...socket,
      send(data) {
        tell({ type: 'out', data })
        socket.send(data)
      },
      close() {
        if (!isClosed) tell({ type: 'end' })
        isClosed = true
        socket.close()
      },
    }
  }
}

/** The name of the refusal, or its status. */
const causeOf = (refusal: Refusal | undefined): RefusalCause | undefined =>
  hasCode(HANDSHAKE_ERRORS, refusal?.code) ? refusal?.code : refusal?.status

/** Adds the names and e-mail addresses of participants in the data of a query. */
function namesIn(data: unknown, names: Set<string>): void {
  if (Array.isArray(data)) return data.forEach((part) => namesIn(part, names))
  if (!isObject(data)) return
  for (const [key, part] of Object.entries(data)) {
    if (key === 'participants' && Array.isArray(part)) part.forEach((person) => addTexts(person, names))
    else namesIn(part, names)
  }
}

function addTexts(person: unknown, names: Set<string>): void {
  if (!isObject(person)) return
  for (const value of [person.first_name, person.last_name, person.email])
    if (typeof value === 'string') names.add(value)
}
