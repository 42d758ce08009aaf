/**
 * For "Did you mean": the word with the fewest differences from `text`. Returns `undefined` if more than the
 * part `atMost` of the characters differs.
 */
export function mostSimilar(text: string, words: readonly string[], atMost = 1 / 3): string | undefined {
  const [best] = words
    .map((word) => ({ word, edits: countEdits(text.toLowerCase(), word.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
  return best && best.edits <= text.length * atMost ? best.word : undefined
}

/** The end of an error message about an object with an unknown key, with a remedy. */
export function unknownKey(key: string, known: readonly string[]): string {
  // Other texts are not shown: such a key could be a secret in the wrong place.
  const isShown = /^\w{1,40}$/.test(key)
  const similar = isShown ? mostSimilar(key, known) : undefined
  const remedy = similar === undefined ? `Use only: ${known.join(', ')}.` : `Did you mean "${similar}"?`
  return `has an unknown key${isShown ? ` "${key}"` : ''}. ${remedy}`
}

/** The number of characters to add, remove or replace. (Levenshtein distance) */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i += 1) {
    const above = row
    row = [i]
    for (let k = 1; k <= to.length; k += 1) {
      const replaced = above[k - 1]! + (from[i - 1] === to[k - 1] ? 0 : 1)
      row.push(Math.min(replaced, above[k]! + 1, row[k - 1]! + 1))
    }
  }
  return row.at(-1)!
}
