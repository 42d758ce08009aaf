import type { Item } from './readPage.js'

/**
 * Words or tags by which the results of different parameters can be told apart: no two of them are on the same item if that can be helped, and
 * none is on every item.
 */
export function chooseMarks(
  items: readonly Item[],
  marksOf: (item: Item) => readonly string[],
  count: number,
): string[] {
  const holders = new Map<string, Set<string>>()
  for (const item of items)
    for (const mark of marksOf(item)) holders.set(mark, (holders.get(mark) ?? new Set()).add(item.id))
  // The more holders, the more is seen of the order.
  const usable = [...holders]
    .filter(([, ids]) => ids.size < items.length)
    .toSorted(([, a], [, b]) => b.size - a.size)
  const chosen: [string, Set<string>][] = []
  const isApart = (ids: Set<string>, others: Set<string>): boolean => [...ids].every((id) => !others.has(id))
  const isWithin = (ids: Set<string>, others: Set<string>): boolean => [...ids].every((id) => others.has(id))
  for (const differs of [isApart, (a: Set<string>, b: Set<string>) => !isWithin(a, b) && !isWithin(b, a)])
    for (const [mark, ids] of usable) {
      if (chosen.length === count) break
      if (chosen.every(([other, others]) => other !== mark && differs(ids, others))) chosen.push([mark, ids])
    }
  return chosen.map(([mark]) => mark)
}

/**
 * The marks by which a page can have been filtered: all their holders of the first page are there, and at least `share` of its meetings have
 * them.
 */
export function possibleMarks(
  marks: readonly string[],
  first: readonly Item[],
  items: readonly Item[],
  marksOf: (item: Item) => readonly string[],
  share: number,
): string[] {
  const there = new Set(items.map(({ id }) => id))
  return marks.filter((mark) => {
    const holds = (item: Item): boolean => marksOf(item).includes(mark)
    return (
      first.filter(holds).every(({ id }) => there.has(id)) &&
      items.filter(holds).length >= share * items.length
    )
  })
}
