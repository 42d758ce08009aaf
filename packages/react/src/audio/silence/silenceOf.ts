import type { Product } from '@stagepass/contract'
import type { Client } from '../../identity/Client.js'
import type { EventBody, SilenceEvent } from '../../events/events.js'
import { perClient } from '../../identity/perClient.js'
import type { TimerHandle } from '../../platform/platform.js'
import type { ReceivedData } from '../../platform/socket.js'
import type { Codec } from '../../stream/Codec.js'
import { parkedStreams } from '../../stream/lease/parkedStreams.js'
import { streamsOf } from '../../stream/streamsOf.js'

/** A session with the option `silence`, for its stream. */
export interface SilentSession {
  readonly closeAfterMs: () => number
  readonly codec: () => Pick<Codec<never, unknown>, 'isFinal' | 'decode'> | undefined
  /** Returns the sound in a message, if there is any. */
  readonly soundOf: (message: unknown) => unknown
  /** False if the stream must stay open for this session. */
  readonly isSilent: () => boolean
  /** Another component has opened the stream: sound passes again, for `closeAfterMs`. */
  readonly letPass: () => void
  /** The stream was closed after an opening by speech, in which the service sent a text or none. */
  readonly judge: (hadText: boolean) => void
  /** `phase` has changed, or the stream is open again after a wait. */
  readonly onChange: () => void
}

/** Time for the last text of the service, counted from the last voice. `closeAfterMs` is a part of it. */
const LAST_TEXT_MS = 2_500
const SHORTEST_WAIT_MS = 500
/** How long a text is waited for that may still grow. */
const GROWING_TEXT_MS = 3_000
/** The service still speaks if its last sound is not older than this. */
const SOUND_MS = 1_000
/** After so many openings without speech in `FALSE_ALARMS_IN_MS`, the stream stays open for `KEEP_MS`. */
const FALSE_ALARMS = 5
const FALSE_ALARMS_IN_MS = 60_000
const KEEP_MS = 60_000

/*
 * One stream, with the sessions that share it.
 *
 *             silence in all sessions               the last words have come
 *   open ────────────────────────────▶ closing ───────────────────────────────▶ closed
 *    ▲                                 │  ▲  │                                     │
 *    ├──── speech in any session ──────┘  └──┘ sound of the service:               │
 *    │     or `open()` by anyone               asks again a second later           │
 *    └──────────────── speech in any session, or `open()` by anyone ───────────────┘
 *
 * open     frames go to the stream or to its queue, whatever the stream does: it may be connecting,
 *          reconnecting or rolling over. After five false alarms in a minute it stays open for a minute.
 * closing  a `finish` of the stream: no frame is sent, and no text of the service is lost. Speech cancels it,
 *          and the same connection goes on.
 * closed   no connection, nothing is paid. Speech opens the stream, and its queue takes the first words.
 *
 * A stream that has failed, or that another component has closed, is left alone. `closing` and `closed` end with
 * the last session: what it wanted of its stream is decided by useVoiceSession.
 */
type SilencePhase = 'open' | 'closing' | 'closed'

function createSilence(client: Client, product: Product, key: string, onEmpty: () => void) {
  const { platform } = client
  const stream = streamsOf(client).of(product, key)
  const sessions = new Set<SilentSession>()
  let phase: SilencePhase = 'open'
  /** The current call of `finish`. */
  let finishing: object | undefined
  let timer: TimerHandle | undefined
  /** The stream was closed, and is not open again yet. */
  let isWaiting = false
  /** Set while the stream is open because of speech. */
  let isOpenedBySpeech = false
  let hadText = false
  let isGrowing = false
  let falseAlarmsAt: readonly number[] = []
  let keepUntil = -Infinity
  let opens = 0

  const emit = (body: EventBody<SilenceEvent>): void =>
    client.emit({ ...body, product, key, at: platform.wallNow() })

  const tell = (): void => sessions.forEach(({ onChange }) => onChange())

  function enter(next: SilencePhase): void {
    phase = next
    finishing = undefined
    platform.clearTimeout(timer)
    if (next === 'closed') isWaiting = true
    tell()
  }

  function open(): void {
    if (phase === 'open') return
    enter('open')
    stream.open()
  }

  /** Another component has opened the stream. */
  function follow(): void {
    enter('open')
    for (const { letPass } of sessions) letPass()
  }

  /** Closes the stream after the last words of the service. */
  function finish(): void {
    const closeAfterMs = Math.min(...[...sessions].map((session) => session.closeAfterMs()))
    const timeoutMs = isGrowing ? GROWING_TEXT_MS : Math.max(SHORTEST_WAIT_MS, LAST_TEXT_MS - closeAfterMs)
    const mine = (finishing = {})
    // `open()` by anyone cancels a `finish`. The close of the stream is noticed by `watch`.
    void stream.finish(timeoutMs).then(() => finishing === mine && follow())
  }

  /** The stream is closed: did the service find words in the speech that had opened it? */
  function judge(): void {
    if (!isOpenedBySpeech) return
    isOpenedBySpeech = false
    for (const session of sessions) session.judge(hadText)
    if (!hadText) falseAlarmsAt = [...recentFalseAlarms(), platform.now()]
  }

  const recentFalseAlarms = (): readonly number[] =>
    falseAlarmsAt.filter((at) => platform.now() - at < FALSE_ALARMS_IN_MS)

  /** False alarms cost more than an open stream, so the last of too many keeps it open. */
  function keepsOpen(): boolean {
    if (!isOpenedBySpeech || hadText || recentFalseAlarms().length + 1 < FALSE_ALARMS) return false
    isOpenedBySpeech = false
    falseAlarmsAt = []
    keepUntil = platform.now() + KEEP_MS
    emit({ type: 'silence.kept_open', falseAlarms: FALSE_ALARMS, forMs: KEEP_MS })
    return true
  }

  function isSound(data: ReceivedData, { codec, soundOf }: SilentSession): boolean {
    const messages = codec()?.decode(data) ?? [data]
    return messages.some((message) => Boolean(soundOf(message)))
  }

  function receive(data: ReceivedData): void {
    const [session] = sessions
    const { isFinal } = session?.codec() ?? {}
    const final = isFinal ? isFinal(data) : true
    if (final !== undefined) {
      hadText = true
      isGrowing = !final
    }
    if (phase !== 'closing' || !session || !isSound(data, session)) return
    // The service still speaks. No frame is sent meanwhile.
    finishing = undefined
    stream.open()
    platform.clearTimeout(timer)
    timer = platform.setTimeout(finish, SOUND_MS)
  }

  /** Called at each change of the stream, so that a session shows both changes in one render. */
  function watch(): void {
    const { status } = stream.snapshot()
    if (status === 'closed' && phase === 'closing') {
      judge()
      enter('closed')
    }
    if (status === 'closed' || status === 'idle') return
    if (phase === 'closed') follow()
    if (isWaiting && status !== 'connecting') {
      isWaiting = false
      tell()
    }
  }

  const isKept = (): boolean => platform.now() < keepUntil

  const stops = [
    stream.subscribe(receive),
    stream.watch(watch),
    parkedStreams(client).add(`${product} ${key}`),
  ]

  return {
    phase: (): SilencePhase => phase,
    isWaiting: (): boolean => isWaiting,
    opens: (): number => opens,
    /** True if too many false alarms keep the stream open. */
    isKept,
    emit,
    /** Adds a session. Returns a function that removes it. */
    join(session: SilentSession): () => void {
      sessions.add(session)
      return () => {
        sessions.delete(session)
        if (sessions.size > 0) return
        platform.clearTimeout(timer)
        finishing = undefined
        for (const stop of stops) stop()
        onEmpty()
      }
    },
    /** Opens the stream without speech. */
    open,
    /** Opens the stream because there is speech. */
    speak(): void {
      if (phase === 'closed') {
        opens += 1
        isOpenedBySpeech = true
        hadText = isGrowing = false
      }
      open()
    },
    /** Closes the stream if no session needs it. */
    review(): void {
      if (phase !== 'open') return
      if (!['connecting', 'open', 'reconnecting'].includes(stream.snapshot().status)) return
      // Another component needs the stream, with or without speech.
      if (stream.countEnabled() > sessions.size) return
      if (![...sessions].every(({ isSilent }) => isSilent()) || keepsOpen()) return
      enter('closing')
      finish()
    },
  }
}

/** The silence of the streams of a client. */
export const silenceOf = perClient((client) => {
  const silences = new Map<string, ReturnType<typeof createSilence>>()
  return (product: Product, key: string): ReturnType<typeof createSilence> => {
    const name = `${product} ${key}`
    const found = silences.get(name) ?? createSilence(client, product, key, () => silences.delete(name))
    silences.set(name, found)
    return found
  }
})
