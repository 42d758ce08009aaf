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
  const usable = [...holders].filter(([, ids]) => ids.size < items.length)
  const chosen: [string, Set<string>][] = []
  for (const [mark, ids] of usable) {
    if (chosen.length === count) break
    if (chosen.every(([, others]) => [...ids].every((id) => !others.has(id)))) chosen.push([mark, ids])
  }
  return chosen.map(([mark]) => mark)
}

/**
 * The mark by which a page was filtered: all its holders of the first page are there, and no other such mark is on as many of the meetings.
 * `share` is the least part of the meetings that must have it.
 */
export function winnerOf(
  marks: readonly string[],
  first: readonly Item[],
  items: readonly Item[],
  marksOf: (item: Item) => readonly string[],
  share: number,
): string | undefined {
  const there = new Set(items.map(({ id }) => id))
  const holds = (mark: string) => (item: Item) => marksOf(item).includes(mark)
  const possible = marks.filter((mark) => first.filter(holds(mark)).every(({ id }) => there.has(id)))
  const counts = possible.map((mark) => items.filter(holds(mark)).length)
  const most = Math.max(...counts)
  if (most < share * items.length || counts.filter((count) => count === most).length !== 1) return undefined
  return possible[counts.indexOf(most)]
}
