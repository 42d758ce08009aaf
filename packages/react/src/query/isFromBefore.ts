import type { Client } from '../identity/Client.js'

/** A server that renders the page loads a list in the moment in which the page begins, by its own clock. */
const TOLERANCE_MS = 10_000

/**
 * True for data that was loaded more than ten seconds before this page began, such as data that a cache on
 * disk has kept. `loadedAtMs` is the `dataUpdatedAt` of a query: 0 without data.
 */
export function isFromBefore({ platform }: Pick<Client, 'platform'>, loadedAtMs: number): boolean {
  return loadedAtMs > 0 && loadedAtMs < platform.wallNow() - platform.now() - TOLERANCE_MS
}
