import { mistake } from './mistake.js'

/** The options that are times or limits, by the unit or the word in their names. */
const NUMBERS = /Ms$|^max(Attempts|Bytes)$/

/** The groups of options of a stream. */
const GROUPS = /^(reconnect|queue|rollover|resend|codec|keepAlive)$/

/** With 0 nothing could succeed. */
const NOT_ZERO = /^connectTimeoutMs$|^codec.+(Timeout|every)Ms$|^reconnect\.silenceMs$/

/** Checks all times and limits in the options of a stream. */
export function checkTimes(options: object, path = ''): void {
  for (const [name, value] of Object.entries(options)) {
    const at = path + name
    if (GROUPS.test(name)) checkTimes(Object(value) as object, `${at}.`)
    if (NUMBERS.test(name) && typeof value !== 'function') checkTime(at, value, !NOT_ZERO.test(at))
  }
}

/**
 * Throws if a time or a limit of the options is not a number, or is negative, or is 0 where nothing could
 * succeed. `Infinity` is no limit. The call of the developer is then in the stack of the error.
 */
export function checkTime(name: string, value: number | undefined, mayBeZero = false): void {
  const isGood = typeof value === 'number' && (mayBeZero ? value >= 0 : value > 0)
  if (value !== undefined && !isGood) throw mistake('notATime', `${name} is ${String(value)}`)
}
