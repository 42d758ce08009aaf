import { mistake } from './mistake.js'

/** The options that are times or limits, by the unit or the word in their names. */
const NUMBERS = /Ms$|^max(Attempts|Bytes)$/

/** The groups of options of a stream. */
const GROUPS = /^(reconnect|queue|rollover|codec|keepAlive)$/

/** With 0 nothing could succeed. */
const NOT_ZERO = /^\w*imeoutMs$|^codec.+(Timeout|every)Ms$|^reconnect\.silenceMs$/

/**
 * Throws if a time or a limit in the options is not a number, is negative, or is 0 where nothing could
 * succeed. `Infinity` is no limit. The call of the developer is then in the stack of the error.
 */
export function checkTimes(options: object, path = ''): void {
  for (const [name, value] of Object.entries(options)) {
    const at = path + name
    if (GROUPS.test(name)) checkTimes(Object(value) as object, `${at}.`)
    const isGood = typeof value === 'number' && (NOT_ZERO.test(at) ? value > 0 : value >= 0)
    if (NUMBERS.test(name) && value !== undefined && !isGood)
      throw mistake('notATime', `${at} is ${String(value)}`)
  }
}
