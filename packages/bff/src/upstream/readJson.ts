/**
 * A page of 100 meetings with 800 parts of a transcript each has 400,000. The time to parse depends on the
 * number of values more than on the length: 16 MB of `[` or of names take seconds, and nothing else runs
 * meanwhile.
 */
const MAX_VALUES = 500_000

/** The JSON, or `undefined` if it is not valid or has too many values. */
export function readJson(text: string): unknown {
  // Each value has at least one character, so a short text need not be looked at.
  if (text.length > MAX_VALUES && hasMoreValues(text, MAX_VALUES)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Counts what begins a value: brackets and commas outside of strings. */
function hasMoreValues(text: string, max: number): boolean {
  let count = 0
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (character === '"') {
      index = endOfString(text, index)
      if (index === -1) return false // it is not JSON
    } else if (character === ',' || character === '[' || character === '{') {
      count += 1
      if (count > max) return true
    }
  }
  return false
}

function endOfString(text: string, start: number): number {
  let end = start
  do end = text.indexOf('"', end + 1)
  while (end !== -1 && isEscaped(text, end))
  return end
}

/** Whether an odd number of backslashes stands before the index. */
function isEscaped(text: string, index: number): boolean {
  let before = index
  while (text[before - 1] === '\\') before -= 1
  return (index - before) % 2 === 1
}
