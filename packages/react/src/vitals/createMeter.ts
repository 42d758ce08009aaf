import type { LostReason, PageFigureName } from '@stagepass/contract'
import type { VoiceEvent } from '../events/events.js'
import type { SendData } from '../platform/socket.js'
import { createSpeechTimes } from './createSpeechTimes.js'
import type { StreamMoment } from './StreamMoment.js'

/** The kinds of notes. */
export const NOTE_NAMES = [
  'press',
  'turn',
  'open',
  'speech',
  'text',
  'final',
  'heard',
  'drop',
  'resent',
  'standstill',
] as const

/** Something that a user feels, in the life of a stream. */
export interface Note {
  readonly what: (typeof NOTE_NAMES)[number]
  /** Monotonic time at which it happened. */
  readonly at: number
  /** The figure that it completes, in milliseconds. */
  readonly figure?: { readonly name: PageFigureName; readonly ms: number } | undefined
  /** Why the connection was lost, of a `drop`. */
  readonly reason?: LostReason | undefined
}

/** Speech without a final text for this time is forgotten: it was noise. */
const ANSWER_MS = 10_000

/** Measures one stream. `note` is called with each thing that the user feels. */
export function createMeter(note: (note: Note) => void) {
  /** True from a lost connection to the next one. */
  let isLost = false
  /** When the stream entered the queue of sessions, until its turn. */
  let queuedAt: number | undefined
  let turnAt: number | undefined
  /** When the stream was opened, until its first text. */
  let openedAt: number | undefined
  /** When the speech began that waits for its first text. */
  let speechAt: number | undefined
  /** When the last speech was heard that has no final text. */
  let unansweredAt = -Infinity
  /** When the text came whose sound was not heard. */
  let textAt: number | undefined

  const speech = createSpeechTimes((at) => {
    note({ what: 'speech', at })
    // Texts of the speech before may still come, so they do not tell when this one is answered.
    if (at - unansweredAt > ANSWER_MS) speechAt = at
    unansweredAt = at
  })

  /** Nothing waits any longer. */
  function forget(): void {
    queuedAt = turnAt = openedAt = speechAt = textAt = undefined
    unansweredAt = -Infinity
  }

  function hear(isFinal: boolean, now: number): void {
    if (openedAt !== undefined) {
      note({ what: 'text', at: now, figure: { name: 'openToText', ms: now - openedAt } })
      openedAt = undefined
    }
    if (speechAt !== undefined) {
      note({ what: 'text', at: now, figure: { name: 'firstText', ms: now - speechAt } })
      speechAt = undefined
    }
    if (!isFinal) return
    const end = speech.takeEnd(now)
    // The end of a noise that was forgotten is no end of this speech.
    const isItsEnd = end !== undefined && now - end <= ANSWER_MS
    note({ what: 'final', at: now, figure: isItsEnd ? { name: 'finalText', ms: now - end } : undefined })
    unansweredAt = -Infinity
    textAt = now
  }

  return {
    event(event: VoiceEvent, now: number): void {
      switch (event.type) {
        case 'stream.queued':
          queuedAt ??= now
          break
        case 'stream.connecting':
          if (queuedAt !== undefined) turnAt = now
          break
        case 'stream.opened':
          if (!isLost) {
            note({ what: 'press', at: now - event.tookMs })
            openedAt = now
          }
          if (queuedAt !== undefined && turnAt !== undefined)
            note({ what: 'turn', at: turnAt, figure: { name: 'queue', ms: turnAt - queuedAt } })
          queuedAt = turnAt = undefined
          note({ what: 'open', at: now, figure: isLost ? undefined : { name: 'open', ms: event.tookMs } })
          isLost = false
          break
        case 'stream.reconnecting':
          if (event.lostBy === undefined) break
          // The machine slept or the page was in the background: no user has waited in this time.
          if (event.lostBy === 'sleep' || event.lostBy === 'away') forget()
          isLost = true
          note({ what: 'drop', at: now, reason: event.lostBy })
          break
        case 'stream.resent':
          note({ what: 'resent', at: now, figure: { name: 'resent', ms: event.ms } })
          break
        case 'stream.closed':
        case 'stream.released':
        case 'stream.failed':
          forget()
          isLost = false
          break
        default:
      }
    },
    /** `clock` is read only if it is needed, because messages may be many. */
    moment(moment: StreamMoment, clock: () => number): void {
      switch (moment.type) {
        case 'sent': {
          const now = clock()
          // A text to be spoken: its sound is what the user waits for.
          if (typeof moment.data === 'string') textAt ??= now
          else if (speech.frame(samplesOf(moment.data), now)) unansweredAt = now
          else if (now - unansweredAt > ANSWER_MS) unansweredAt = -Infinity
          break
        }
        case 'received': {
          // Reading a text costs time, so it is read only if something waits for one.
          if (openedAt === undefined && unansweredAt === -Infinity) break
          const isFinal = isFinalText(moment)
          if (isFinal === undefined) break
          // A text that grows completes nothing after the first one.
          if (!isFinal && openedAt === undefined && speechAt === undefined) break
          const now = clock()
          if (now - unansweredAt > ANSWER_MS) {
            if (openedAt === undefined) break
            speechAt = undefined
          }
          hear(isFinal, now)
          break
        }
        case 'played': {
          if (textAt === undefined) break
          const now = clock()
          note({
            what: 'heard',
            at: now + moment.inMs,
            figure: { name: 'heard', ms: now + moment.inMs - textAt },
          })
          textAt = undefined
          break
        }
        case 'standstill':
          note({ what: 'standstill', at: clock() - moment.ms, figure: { name: 'standstill', ms: moment.ms } })
          break
        default:
          moment satisfies never
      }
    },
  }
}

/** An error of the codec is not shown here: measuring must not stop a stream. */
function isFinalText({ isFinal, data }: Extract<StreamMoment, { type: 'received' }>): boolean | undefined {
  try {
    return isFinal(data)
  } catch {
    return undefined
  }
}

const NONE = new Int16Array(0)

/** The samples of a frame. A `Blob` cannot be read at once. */
function samplesOf(data: Exclude<SendData, string>): Int16Array {
  if (data instanceof Blob) return NONE
  const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(data)
    ? data
    : { buffer: data, byteOffset: 0, byteLength: data.byteLength }
  // A view at an odd byte cannot be read as samples in place.
  return byteOffset % 2 === 0
    ? new Int16Array(buffer, byteOffset, byteLength >> 1)
    : new Int16Array(buffer.slice(byteOffset, byteOffset + (byteLength & ~1)))
}
