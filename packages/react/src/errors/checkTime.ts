import { mistake } from './mistake.js'

/**
 * Throws if a time or a limit of the options is not a number, or is negative, or is 0 where nothing could
 * succeed. `Infinity` is no limit. The call of the developer is then in the stack of the error.
 */
export function checkTime(name: string, value: number | undefined, mayBeZero = false): void {
  const isGood = typeof value === 'number' && (mayBeZero ? value >= 0 : value > 0)
  if (value !== undefined && !isGood) throw mistake('notATime', `${name} is ${String(value)}`)
}
