/*
 * What the rules use of tables and sorting. Here it is the engine's own, and in the script for Redis plain
 * tables and `table.sort` (tools/lua/tables.ts). There is no size and no order of insertion.
 */

export type KeySet<TKey> = Pick<Set<TKey>, 'has' | 'add'>
export const KeySet: new <TKey>() => KeySet<TKey> = Set

export type KeyMap<TKey, TValue> = Pick<Map<TKey, TValue>, 'has' | 'get' | 'set'>
export const KeyMap: new <TKey, TValue>() => KeyMap<TKey, TValue> = Map

/** Ascending, in place. */
export function sortNumbers(list: number[]): void {
  list.sort((a, b) => a - b)
}

/**
 * In place. `before` must say for any two items which comes first: the sort of Lua does not keep the order of
 * equal items.
 */
export function sortBy<TItem>(list: TItem[], before: (one: TItem, other: TItem) => boolean): void {
  list.sort((one, other) => (before(one, other) ? -1 : 1))
}

/** Removes a key. */
export function forget(record: Record<string, number>, key: string): void {
  delete record[key]
}
