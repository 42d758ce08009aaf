import { checkTime } from './checkTime.js'

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
