import { isObject } from './isObject.js'

/*
 * Readers for values whose types the contract does not show. Each returns a value of the type that we
 * promise, or `null` if it finds none.
 */

/** What a value of a response is. Events name it instead of the value. */
export type ValueKind = 'missing' | 'null' | 'boolean' | 'number' | 'text' | 'list' | 'object'

export function kindOf(value: unknown): ValueKind {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  return typeof value === 'boolean' ? 'boolean' : 'object'
}

/** A number in decimal notation. `Number` alone also reads '' and '0x10'. */
const DECIMAL = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** A number, or text that is one. */
function readNumber(value: unknown): number | null {
  const number = typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** A text, or a number as text. */
export function readText(value: unknown): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null
}

/**
 * An identifier or a cursor. A larger number was rounded when the JSON was parsed, so it would name something
 * else.
 */
export function readId(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value
  return Number.isSafeInteger(value) ? String(value) : null
}

/** A whole number from 0. */
export function readCount(value: unknown): number | null {
  const number = readNumber(value)
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null
}

const ISO_DURATION =
  /^P(?=[\dT])(?:(\d+)W|(?:(\d+)D)?(?:T(?=\d)(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?)?)$/
const SECONDS_OF = [604_800, 86_400, 3_600, 60, 1]

/** Hours, minutes and seconds. Two parts could be hours and minutes as well as minutes and seconds. */
const CLOCK = /^(\d+):([0-5]\d):([0-5]\d(?:\.\d+)?)$/

/**
 * Seconds: a number, text that is one, an ISO 8601 duration without years and months, whose length differs,
 * or `hours:minutes:seconds`.
 */
export function readSeconds(value: unknown): number | null {
  const number = readNumber(value)
  if (number !== null) return number >= 0 ? number : null
  const text = typeof value === 'string' ? value.trim().toUpperCase() : ''
  const clock = CLOCK.exec(text)
  const parts = clock ? [undefined, undefined, ...clock.slice(1)] : ISO_DURATION.exec(text)?.slice(1)
  if (!parts) return null
  let milliseconds = 0
  for (const [index, part = '0'] of parts.entries())
    milliseconds += Number(part.replace(',', '.')) * (SECONDS_OF[index] ?? 0) * 1_000
  const seconds = Math.round(milliseconds) / 1_000
  return Number.isFinite(seconds) ? seconds : null
}

/** As seconds the year 5138, as milliseconds 1973. */
const MIN_EPOCH_MS = 100_000_000_000
/** As seconds 1973. A smaller number is no time of a meeting: 0 for none, 20260101, a count of days. */
const MIN_EPOCH_S = MIN_EPOCH_MS / 1_000
/** The end of the year 9999, the last one with four digits. */
const MAX_EPOCH_MS = 253_402_300_799_999

/** ISO 8601 in its extended or basic form. A space instead of the T, as databases write it. */
const ISO_TIME =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?(?: ?(Z|[+-]\d\d(?::?\d\d)?))?)?$/i

/**
 * ISO 8601 in UTC with milliseconds: a time, a date, or seconds or milliseconds since 1970, also as text. A
 * time without an offset is UTC.
 */
export function readTime(value: unknown): string | null {
  const text = typeof value === 'string' ? value.trim() : ''
  const iso = ISO_TIME.exec(text)
  if (iso) return formatTime(iso)
  const epoch = readNumber(value)
  if (epoch === null || epoch < MIN_EPOCH_S) return null
  const epochMs = epoch < MIN_EPOCH_MS ? epoch * 1_000 : epoch
  return epochMs <= MAX_EPOCH_MS ? new Date(epochMs).toISOString() : null
}

function formatTime(parts: RegExpExecArray): string | null {
  const [, year, , month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = parts
  const date = `${year}-${month}-${day}`
  // Some engines read 30 February as 2 March.
  const isDay = new Date(`${date}T00:00:00Z`).getUTCDate() === Number(day)
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  const offset = digits === '0000' ? 'Z' : `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`
  const ms = fraction.slice(0, 3).padEnd(3, '0')
  const time = new Date(`${date}T${hour}:${minute}:${second}.${ms}${offset}`)
  return isDay && !Number.isNaN(time.getTime()) ? time.toISOString() : null
}

/** The value that one of these keys has, if the value is an object. Never an inherited one. */
export function valueOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
