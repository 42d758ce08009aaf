import type { ReleaseReason, SoundCopy } from '../../recordings/SoundCopy.js'
import { createKeptSound, lastOf, type Pause } from './createKeptSound.js'

/** This much quiet before the first word is kept. */
const LEAD_BLOCKS = 15
/** While a connection is behind, it gets this much of a quiet, and the last part before the next word. */
const SENT_QUIET_BLOCKS = 25
const BEFORE_WORD_BLOCKS = 10
/** The same sound is sent to at most this many connections. */
const MOST_TRIES = 10
/** A time of the service is moved to a pause that is at most this far away. */
const NEAR_MS = 500
/** A text may be up to this much shorter than the sound of its words. */
const SHORTER_MS = 300
/** A text is only about sound that was sent at least this long before it. */
const ROUND_TRIP_MS = 40
/** A text may come before the pause behind its words is complete. */
const EARLY_MS = 400
/** Sound between two notes of the time at which it was sent. */
const NOTE_MS = 100

interface JournalOptions {
  readonly sampleRate: number
  /** Most sound that is kept; the oldest is released first. */
  readonly keepMs: () => number
  /** Sound with words was released that the current connection has not got. */
  readonly onUnheard: (blocks: number, bytes: number) => void
  /** A copy elsewhere, such as on a disk. Positions are in samples since the journal began. */
  readonly copy?: SoundCopy | undefined
}

/** What is known of a final text. */
export interface FinalText {
  /** Sound of its connection up to this time is final. */
  readonly untilMs?: number | undefined
  /** Length of its words. */
  readonly durationMs?: number | undefined
  /** Without `untilMs`: sound that was sent longer ago than this is final too. */
  readonly lagMs: number
}

/** A connection that gets the sound of a journal. */
export type JournalReader = ReturnType<ReturnType<typeof createJournal>['begin']>

/**
 * The sound of a stream that is not final yet: 16-bit PCM, mono, in the order of sending.
 *
 *     released │ kept: not final           │ kept: not sent   │
 *     ─────────┼───────────────────────────┼──────────────────┤
 *              seam              cursor of a connection      end
 *
 * A final text moves the seam to a pause between two utterances. The next connection gets the sound from the
 * seam on. Pauses and texts are compared by the time at which sound was sent, not said: after an outage it is
 * sent faster than it was said.
 */
export function createJournal({ sampleRate, keepMs, onUnheard, copy }: JournalOptions) {
  const sound = createKeptSound(sampleRate)
  const { blockSamples, blockAt, samplesOf, msOf, end, isQuiet, saidAt } = sound

  let seam = 0
  /** How far the connections before have got, the farthest first. */
  let reaches: number[] = []
  /** The connection whose texts move the seam. */
  let current: object | undefined
  let currentCursor = (): number => 0

  function isLongQuiet(block: number): boolean {
    for (let ahead = 0; ahead <= BEFORE_WORD_BLOCKS; ahead += 1)
      if (!isQuiet(block + ahead * blockSamples)) return false
    return true
  }

  /** True while a word is kept. */
  const isUnfinished = (): boolean => sound.speechEnd() > seam

  function release(position: number, reason: ReleaseReason): void {
    const to = Math.min(position, end())
    if (to <= seam) return
    const unheard = to - Math.max(seam, current ? currentCursor() : seam)
    if (unheard > 0 && reason !== 'quiet') onUnheard(Math.ceil(unheard / blockSamples), unheard * 2)
    seam = to
    sound.drop(seam)
    reaches = reaches.filter((reach) => reach > seam)
    copy?.released(seam, reason, isUnfinished())
  }

  /** Quiet before the first word is of no use to a later connection. */
  function releaseQuiet(): void {
    if (!isUnfinished()) release(end() - LEAD_BLOCKS * blockSamples, 'quiet')
  }

  /** The position of the first word from the seam on. */
  const firstWord = (): number | undefined => sound.firstWord(seam)

  /** The position itself if it is in a pause, or if no pause is near. */
  function nearestPause(pauses: readonly Pause[], position: number): number {
    let best = position
    let least = samplesOf(NEAR_MS)
    for (const { from, to } of pauses) {
      const near = Math.min(Math.max(position, from), to)
      if (Math.abs(position - near) > least) continue
      least = Math.abs(position - near)
      best = near
    }
    return best
  }

  return {
    /** Adds a frame, whose last sample was said at `now`. Its length in bytes is even. */
    push(pcm: Uint8Array, now: number): void {
      const from = end()
      const began = sound.push(pcm, now)
      copy?.added(from, pcm, began, isUnfinished())
      release(end() - Math.max(blockSamples, samplesOf(keepMs())), 'full')
      releaseQuiet()
    },
    /** A new connection. Its 0 ms is the seam. Its texts move the seam from `use` on. */
    begin() {
      const tried = reaches[MOST_TRIES - 1]
      if (tried !== undefined) release(tried, 'tried')
      /** Where the sound of this connection comes from. `at` counts its own samples. */
      const beginning = { at: 0, position: seam }
      const parts = [beginning]
      /** When it got its sound. */
      const notes: { readonly position: number; readonly sentAt: number }[] = []
      const resentUntil = Math.max(seam, reaches[0] ?? 0, current ? currentCursor() : 0)
      const resentMs = msOf(Math.max(0, resentUntil - (firstWord() ?? resentUntil)))
      let cursor = seam
      let heard = 0
      let sentAt = -Infinity
      let wordSentAt = -Infinity
      let sentQuiet = 0
      /** A final text came before the pause behind its words was complete. */
      let early: { readonly cursor: number; readonly at: number } | undefined

      function positionOf(ms: number): number {
        const samples = samplesOf(ms)
        const part = lastOf(parts, ({ at }) => at <= samples) ?? beginning
        return part.position + samples - part.at
      }

      /** The sound before this position was sent at least `ms` ago. */
      const sentBefore = (ms: number, now: number): number =>
        sentAt <= now - ms ? cursor : (lastOf(notes, (note) => note.sentAt <= now - ms)?.position ?? seam)

      /** Never past what was sent, nor for another connection. */
      function moveTo(position: number): void {
        if (current !== mine) return
        release(Math.min(position, cursor), 'final')
        releaseQuiet()
      }

      /** Moves the seam to the pause of a text that came before it. */
      function moveEarly(now: number): void {
        if (!early) return
        const { cursor: before, at } = early
        const pause = sound.pausesIn(seam, cursor, now).find(({ from }) => from <= before)
        if (pause) moveTo(pause.from)
        if (pause || now - at > EARLY_MS) early = undefined
      }

      const mine = {
        /** Texts of this connection move the seam from now on, and no longer those of another one. */
        use(): void {
          current = mine
          currentCursor = () => cursor
        },
        /** It gets no more sound. */
        end(): void {
          if (current === mine) current = undefined
          if (cursor > seam) reaches.push(cursor)
          reaches.sort((one, other) => other - one).splice(MOST_TRIES)
        },
        /** This connection has got all sound before this position. */
        cursor: (): number => Math.max(cursor, seam),
        /** Length of the sound, from its first word on, that a connection before has got. */
        resentMs,
        /** The next sound to send: at most a block, and up to the position `until`. A long quiet is left out. */
        next(until = Infinity): Uint8Array | undefined {
          cursor = Math.max(cursor, seam)
          if (sentQuiet >= SENT_QUIET_BLOCKS)
            while (isLongQuiet(blockAt(cursor))) cursor = blockAt(cursor) + blockSamples
          const to = Math.min(end(), until, blockAt(cursor) + blockSamples)
          if (cursor >= to) return undefined
          return sound.bytes(cursor, to)
        },
        /** The next sound of this length was sent. Returns true if it is speech. */
        sent(bytes: number, now: number): boolean {
          const part = parts.at(-1) ?? beginning
          cursor = Math.max(cursor, seam)
          if (part.position + heard - part.at !== cursor) parts.push({ at: heard, position: cursor })
          if (cursor - (notes.at(-1)?.position ?? -Infinity) >= samplesOf(NOTE_MS)) {
            while (notes[1] && notes[1].position <= seam) notes.shift()
            notes.push({ position: cursor, sentAt: now })
          }
          sentQuiet = isQuiet(blockAt(cursor)) ? sentQuiet + bytes / 2 / blockSamples : 0
          sentAt = now
          const isSpeech = sound.isWord(blockAt(cursor))
          if (isSpeech) wordSentAt = now
          cursor += bytes / 2
          heard += bytes / 2
          moveEarly(now)
          return isSpeech
        },
        /** When its last word was sent. */
        wordSentAt: (): number => wordSentAt,
        /** When the sound at `ms` of this connection was said. */
        saidAt: (ms: number): number => saidAt(positionOf(ms)),
        /** A text of this connection is final: moves the seam. */
        final({ untilMs, durationMs, lagMs }: FinalText, now: number): void {
          const pauses = sound.pausesIn(seam, cursor, now)
          if (untilMs !== undefined) return moveTo(nearestPause(pauses, positionOf(untilMs)))
          const heardBy = durationMs === undefined ? sentBefore(ROUND_TRIP_MS, now) : cursor
          const words =
            durationMs === undefined ? seam : (firstWord() ?? end()) + samplesOf(durationMs - SHORTER_MS)
          const pause = pauses.find(({ from }) => from >= words && from <= heardBy)
          if (pause) moveTo(pause.from)
          else early = { cursor: heardBy, at: now }
          moveTo(sentBefore(lagMs, now))
        },
      }
      return mine
    },
    seam: (): number => seam,
    end,
    /** When the sound at this position was said. */
    saidAt,
    isUnfinished,
    /** Length of the kept sound, from its first word on. */
    unfinalMs: (): number => msOf(end() - (firstWord() ?? end())),
    /** Time since the last word, or since the last frame. */
    quietMs: sound.quietMs,
    /** All sound counts as final. */
    settle: (): void => release(end(), 'final'),
    /** Releases everything. */
    clear(): void {
      release(end(), 'over')
      // Also if there was nothing to release.
      copy?.released(end(), 'over', false)
      sound.clear()
      reaches = []
      current = undefined
    },
  }
}
