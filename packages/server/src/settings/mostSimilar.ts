/** The word with the fewest other characters, if four fifths are the same. */
export function mostSimilar(text: string, words: readonly string[]): string | undefined {
  let best: { readonly word: string; readonly edits: number } | undefined
  for (const word of words) {
    const edits = countEdits(text, word)
    if (edits <= text.length / 5 && (!best || edits < best.edits)) best = { word, edits }
  }
  return best?.word
}

/** How many characters must be added, removed or replaced. (Levenshtein) */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [at, letter] of Array.from(from).entries()) {
    const above = row
    row = [at + 1]
    for (const [index, other] of Array.from(to).entries()) {
      const replaced = (above[index] ?? 0) + (letter === other ? 0 : 1)
      row.push(Math.min(replaced, (above[index + 1] ?? 0) + 1, (row[index] ?? 0) + 1))
    }
  }
  return row.at(-1) ?? 0
}
