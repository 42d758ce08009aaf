/** Throws if the number of an option is less than `least`, greater than `most`, or none. */
export function checkNumber(name: string, value: unknown, least: number, most = Infinity): void {
  if (typeof value === 'number' && value >= least && value <= most) return
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`
  throw new RangeError(`Failed to set ${name}: it is ${String(value)}. Give a number ${range}.`)
}
