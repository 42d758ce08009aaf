import { LRUCache } from 'lru-cache'
import { atMost } from '../platform/atMost.js'

/** Values that have an id at the same time. */
const MAX_IDS = 10_000

/**
 * Gives each value a number as its id, which says nothing about the value. A value that was not used for long
 * gets another number when it comes back, and then finds no page of before.
 */
export function createIds(): (value: string) => string {
  const ids = new LRUCache<string, string>(atMost(MAX_IDS))
  let given = 0
  return (value) => {
    const id = ids.get(value) ?? String((given += 1))
    ids.set(value, id)
    return id
  }
}
