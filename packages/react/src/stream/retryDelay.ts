/** No two attempts of a series are closer than this, but for the first retry, which may come at once. */
const FLOOR_MS = 300

/**
 * How long to wait after so many failures in a row: full jitter, a random share of a ceiling that doubles. The floor bounds a server that
 * accepts and closes, whatever chance says: 8 connections in 2 s.
 */
export function retryDelay(
  failures: number,
  random: number,
  { minDelayMs, maxDelayMs }: { minDelayMs: number; maxDelayMs: number },
): number {
  const ceiling = Math.min(maxDelayMs, minDelayMs * 2 ** (failures - 1))
  return Math.max(failures > 1 ? FLOOR_MS : 0, random * ceiling)
}
