/** A word, or one character of a script without spaces between its words. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu

/** Words of final texts that may come again, in their order. */
export interface FinalWords {
  readonly words: readonly string[]
  /** Indices at which a text begins. */
  readonly beginnings: readonly number[]
}

/** The last words of these texts, at most so many. */
export function lastWords(texts: readonly string[], most: number): FinalWords {
  const words: string[] = []
  const beginnings: number[] = []
  for (const text of texts) {
    beginnings.push(words.length)
    for (const [word] of text.matchAll(WORD)) words.push(word.toLowerCase())
  }
  return from({ words, beginnings }, Math.max(0, words.length - most))
}

/**
 * The text without the words at its start that the final words say already, and the final words after those. A
 * single word counts as repeated only if it is a whole text, or the whole rest of the final words begins
 * there.
 */
export function withoutRepeated(
  text: string,
  final: FinalWords,
): { text: string; rest: FinalWords; words: number } {
  const found = [...text.matchAll(WORD)]
  const { words, beginnings } = final
  for (let start = 0; start < words.length; start += 1) {
    let count = 0
    while (count < found.length && words[start + count] === found[count]?.[0].toLowerCase()) count += 1
    const isAll = start + count === words.length || count === found.length
    if (!isAll || count === 0 || (count === 1 && !beginnings.includes(start))) continue
    const next = found[count]
    return { text: next ? text.slice(next.index) : '', rest: from(final, start + count), words: count }
  }
  return { text, rest: final, words: 0 }
}

const from = ({ words, beginnings }: FinalWords, first: number): FinalWords => ({
  words: words.slice(first),
  beginnings: beginnings.filter((at) => at >= first).map((at) => at - first),
})
