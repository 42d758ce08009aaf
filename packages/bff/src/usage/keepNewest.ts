/**
 * Drops the oldest tenth when there are more than `max`. One at a time would be slow: a map looks for its
 * first key among those that were deleted.
 */
export function keepNewest(entries: Map<string, unknown> | Set<string>, max: number): void {
  if (entries.size <= max) return
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    if (entries.size <= max * 0.9) return
  }
}
