export interface Day {
  /** As ISO 8601 writes it, such as `2030-01-31`. */
  readonly name: string
  readonly endsAtMs: number
}

/** More than the longest day: one with a change to winter time. */
const LONGEST_DAY_MS = 27 * 3_600_000

/** The day of a time zone in which a moment is, in milliseconds since the epoch. Summer time included. */
export function createDays(timeZone: string): (atMs: number) => Day {
  let current: (Day & { readonly knownFromMs: number }) | undefined
  // A formatter is made at its first use: it costs a millisecond, and most hosts need none.
  let format: Intl.DateTimeFormat | undefined
  const nameOf = (atMs: number): string => {
    format ??= new Intl.DateTimeFormat('en-CA', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
    return format.format(atMs)
  }
  /**
   * The first moment with another name. Days begin at any hour: some zones change their clocks at midnight.
   */
  const endOf = (name: string, atMs: number): number => {
    let [inside, after] = [atMs, atMs + LONGEST_DAY_MS]
    while (after - inside > 1) {
      const middle = Math.floor((inside + after) / 2)
      if (nameOf(middle) === name) inside = middle
      else after = middle
    }
    return after
  }
  return (atMs) => {
    const at = Math.floor(atMs)
    if (current && at >= current.knownFromMs && at < current.endsAtMs) return current
    const name = nameOf(at)
    current = { name, endsAtMs: endOf(name, at), knownFromMs: at }
    return current
  }
}
