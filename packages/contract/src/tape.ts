import { HANDSHAKE_ERRORS, type HandshakeErrorCode } from './errors/handshakeErrors.js'
import { hasCode } from './errors/ErrorRow.js'
import { isObject } from './service/isObject.js'
import { isProduct, type Product } from './service/products.js'

/*
 * A tape (`.voicetape`) has what happened on the connections of a page: JSON lines, a header first. Frames of
 * bytes that follow each other share a line. A frame is its number of bytes, or its sound in base64, and the
 * time since the frame before. If it has as many bytes as that one, it is the time alone.
 *
 *     {"voicetape":1,"startedAt":"2026-11-28T12:03:00.000Z"}
 *     {"at":0,"n":1,"connect":"vt"}
 *     {"at":81.5,"n":1,"open":true}
 *     {"at":82,"n":1,"out":"{\"config\":{}}"}
 *     {"at":95,"n":1,"in":[[640,0],20.1,19.9]}
 *     {"at":900,"n":1,"close":[1006,""]}
 *     {"at":901,"event":{"type":"stream.reconnecting","lostBy":"close"}}
 *     {"at":950,"n":2,"connect":"vt"}
 *     {"at":990,"n":2,"close":[1006,""],"refused":"unauthorized"}
 */

/** A text; the number of bytes of another message, or these bytes, if the tape has sound. */
export type TapedData = string | number | Uint8Array

/** Why the service refused a handshake. */
export type RefusalCause = HandshakeErrorCode | number

/** What happened on a connection, or in the page. `at` is in milliseconds since the tape began. */
export type TapeMoment = { readonly at: number } & (
  | {
      /** A handshake begins. `n` numbers the connections of a tape from 1. */
      readonly type: 'connect'
      readonly n: number
      readonly product: Product
    }
  | { readonly type: 'open'; readonly n: number }
  | {
      /** A message of the service (`in`), or to it (`out`). */
      readonly type: 'in' | 'out'
      readonly n: number
      readonly data: TapedData
    }
  | {
      /**
       * The service or the network closed the connection. 1006: without a closing handshake. Without an `open`
       * before, the handshake has failed.
       */
      readonly type: 'close'
      readonly n: number
      readonly code: number
      readonly reason: string
      /** Why the handshake was refused, if the page could see it: a code of the service, or a status. */
      readonly refused?: RefusalCause | undefined
    }
  /** The page closed the connection. */
  | { readonly type: 'end'; readonly n: number }
  /** An event of the voice client, or a thing that the user felt. */
  | { readonly type: 'event' | 'note'; readonly value: Readonly<Record<string, unknown>> }
)

export interface Tape {
  /** When the tape began, ISO 8601. */
  readonly startedAt: string
  /** In the order of time. */
  readonly moments: readonly TapeMoment[]
}

const VERSION = 1
/** Frames of bytes in one line. */
const RUN = 200

/** Times have a tenth of a millisecond. */
const tenths = (ms: number): number => Math.round(ms * 10) / 10

/** Frames of bytes of one connection and direction, which become one line. */
interface Run {
  readonly at: number
  readonly n: number
  readonly direction: 'in' | 'out'
  readonly frames: (readonly [frame: number | string, gapMs: number] | number)[]
  lastAt: number
  lastData: number | Uint8Array | undefined
}

/** Writes the moments of a tape as lines. `take` returns the whole text, so far. */
export function createTapeWriter(startedAt: string) {
  const lines = [JSON.stringify({ voicetape: VERSION, startedAt })]
  const runs = new Map<string, Run>()

  function endRun(name: string): void {
    const run = runs.get(name)
    if (!run) return
    runs.delete(name)
    lines.push(JSON.stringify({ at: run.at, n: run.n, [run.direction]: run.frames }))
  }

  function addBytes(at: number, n: number, direction: 'in' | 'out', data: number | Uint8Array): void {
    const name = `${n} ${direction}`
    const run: Run = runs.get(name) ?? { at, n, direction, frames: [], lastAt: at, lastData: undefined }
    runs.set(name, run)
    const gapMs = tenths(at - run.lastAt)
    if (data === run.lastData) run.frames.push(gapMs)
    else run.frames.push([typeof data === 'number' ? data : toBase64(data), gapMs])
    run.lastAt = at
    run.lastData = data
    if (run.frames.length === RUN) endRun(name)
  }

  return {
    add(moment: TapeMoment): void {
      const at = tenths(moment.at)
      if ((moment.type === 'in' || moment.type === 'out') && typeof moment.data !== 'string')
        return addBytes(at, moment.n, moment.type, moment.data)
      // A text comes after the frames of its direction, any other moment after those of its connection.
      if (moment.type === 'in' || moment.type === 'out') endRun(`${moment.n} ${moment.type}`)
      else if ('n' in moment) for (const direction of ['in', 'out']) endRun(`${moment.n} ${direction}`)
      lines.push(JSON.stringify(lineOf(moment, at)))
    },
    take(): string {
      for (const name of runs.keys()) endRun(name)
      return `${lines.join('\n')}\n`
    },
  }
}

function lineOf(moment: TapeMoment, at: number): object {
  switch (moment.type) {
    case 'connect':
      return { at, n: moment.n, connect: moment.product }
    case 'in':
    case 'out':
      return { at, n: moment.n, [moment.type]: moment.data }
    case 'close':
      return { at, n: moment.n, close: [moment.code, moment.reason], refused: moment.refused }
    case 'event':
    case 'note':
      return { at, [moment.type]: moment.value }
    default:
      return { at, n: moment.n, [moment.type]: true }
  }
}

/** Reads the text of a `.voicetape`. Throws an error that names the line. */
export function parseTape(text: string): Tape {
  const [first = '', ...rest] = text.split('\n').filter((line) => line.trim() !== '')
  const header = parseLine(first)
  if (header?.voicetape !== VERSION || typeof header.startedAt !== 'string')
    throw new Error(
      `Failed to read the tape: its first line is not {"voicetape":${VERSION},…}. Give the text that recordVoice returns.`,
    )
  const moments = rest.flatMap((line, index) => {
    const read = readLine(parseLine(line))
    if (read) return read
    throw new Error(`Failed to read the tape: line ${index + 2} has no moment that is known.`)
  })
  // Runs of frames overlap with each other.
  return { startedAt: header.startedAt, moments: moments.sort((one, other) => one.at - other.at) }
}

function parseLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function readLine(line: Readonly<Record<string, unknown>> | undefined): TapeMoment[] | undefined {
  const { at, n } = line ?? {}
  if (!line || !isTime(at)) return undefined
  for (const type of ['event', 'note'] as const) {
    const value = line[type]
    if (isObject(value)) return [{ at, type, value }]
  }
  if (typeof n !== 'number') return undefined
  if (isProduct(line.connect)) return [{ at, n, type: 'connect', product: line.connect }]
  if (line.open === true) return [{ at, n, type: 'open' }]
  if (line.end === true) return [{ at, n, type: 'end' }]
  if (Array.isArray(line.close)) {
    const [code, reason] = line.close as unknown[]
    if (typeof code !== 'number' || typeof reason !== 'string') return undefined
    return [{ at, n, type: 'close', code, reason, refused: readCause(line.refused) }]
  }
  for (const type of ['in', 'out'] as const) {
    const data = line[type]
    if (typeof data === 'string') return [{ at, n, type, data }]
    if (Array.isArray(data)) return readRun(at, n, type, data)
  }
  return undefined
}

function readRun(
  startAt: number,
  n: number,
  type: 'in' | 'out',
  frames: readonly unknown[],
): TapeMoment[] | undefined {
  let at = startAt
  let last: unknown
  const moments: TapeMoment[] = []
  for (const frame of frames) {
    const [given, gapMs] = Array.isArray(frame) ? (frame as unknown[]) : [last, frame]
    last = given
    const data = typeof given === 'string' ? fromBase64(given) : given
    if (!(isTime(data) || data instanceof Uint8Array) || !isTime(gapMs)) return undefined
    at = tenths(at + gapMs)
    moments.push({ at, n, type, data })
  }
  return moments
}

/** The cause of a refusal that a service can repeat; `undefined` for anything else. */
function readCause(cause: unknown): RefusalCause | undefined {
  if (typeof cause === 'string') return hasCode(HANDSHAKE_ERRORS, cause) ? cause : undefined
  return typeof cause === 'number' && Number.isInteger(cause) && cause >= 400 && cause < 600
    ? cause
    : undefined
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0

/** One message of a connection. */
export interface TapedMessage {
  readonly afterMs: number
  readonly data: TapedData
}

/** One connection of a tape, as a service plays it. Times are in milliseconds after its opening. */
export interface TapedConnection {
  readonly product: Product
  /** Messages to the service. */
  readonly sent: readonly TapedMessage[]
  /** Messages of the service. */
  readonly received: readonly TapedMessage[]
  /** How the service or the network closed it; `undefined` if the page did, or the tape ended before. */
  readonly close?: { readonly afterMs: number; readonly code: number; readonly reason: string } | undefined
}

/** A handshake that failed. */
export interface TapedRefusal {
  readonly product: Product
  /** `undefined`: there was no response, or its cause was not seen. */
  readonly refused: RefusalCause | undefined
}

/** The connections of a tape that were open, in their order. */
export function connectionsOf(tape: Tape): TapedConnection[] {
  return handshakesOf(tape).filter((handshake) => 'sent' in handshake)
}

/** The handshakes of a tape, in their order: each is the connection that it opened, or why it failed. */
export function handshakesOf({ moments }: Tape): (TapedConnection | TapedRefusal)[] {
  return moments.flatMap((connect): (TapedConnection | TapedRefusal)[] => {
    if (connect.type !== 'connect') return []
    const { n, product } = connect
    const own = moments.filter((moment) => 'n' in moment && moment.n === n)
    const openAt = own.find(({ type }) => type === 'open')?.at
    const close = own.find((moment) => moment.type === 'close')
    if (openAt === undefined) {
      // The page itself has given up, or the tape ends.
      if (!close) return []
      const after = moments.slice(moments.indexOf(close))
      return [{ product, refused: close.refused ?? causeOfCheck(after, product) }]
    }
    const messages = (type: 'in' | 'out'): TapedMessage[] =>
      own.flatMap((moment) =>
        moment.type === type ? [{ afterMs: tenths(moment.at - openAt), data: moment.data }] : [],
      )
    return [
      {
        product,
        sent: messages('out'),
        received: messages('in'),
        close: close && { afterMs: tenths(close.at - openAt), code: close.code, reason: close.reason },
      },
    ]
  })
}

/** A browser does not see why a handshake was refused. The BFF may have found it out before the next one. */
function causeOfCheck(after: readonly TapeMoment[], product: Product): RefusalCause | undefined {
  for (const moment of after) {
    if (moment.type === 'connect' && moment.product === product) break
    if (moment.type !== 'event') continue
    const { type, product: of, code, status } = moment.value
    if (type === 'stream.checked' && of === product) return readCause(code) ?? readCause(status)
  }
  return undefined
}
