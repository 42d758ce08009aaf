/** Options of an `LRUCache` with so many entries. The option `max` would take the memory of all at once. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: (): number => 1 })
