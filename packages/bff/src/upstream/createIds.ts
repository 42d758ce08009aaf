/** Values that have an id at the same time. */
const MAX_IDS = 10_000

/**
 * Gives each value a number as its id, which says nothing about the value. A value that was not used for long
 * gets another number when it comes back, and then finds no page of before.
 */
export function createIds(): (value: string) => string {
  const ids = new Map<string, string>()
  let given = 0
  return (value) => {
    const id = ids.get(value) ?? String((given += 1))
    // A map keeps the order in which keys were set: the first one was not used for the longest time.
    ids.delete(value)
    ids.set(value, id)
    const [longestUnused = value] = ids.keys()
    if (ids.size > MAX_IDS) ids.delete(longestUnused)
    return id
  }
}
