import { stripBom } from '@stagepass/contract'
import { parseExact } from './parseExact.js'

/**
 * Limit of the values in a JSON text. The time to parse depends on the number of values more than on the
 * length: 16 MB of `[` or of names take seconds, during which the process does nothing else. A page of 100
 * meetings with 800 transcript parts each has 400,000 values, and also commas in its texts.
 */
export const MAX_MARKS = 1_000_000

/**
 * Parses JSON. An integer that a number cannot hold is a text with its digits. Returns `undefined` if the
 * JSON is invalid or may have too many values.
 */
export function readJson(text: string): unknown {
  if (hasTooManyValues(text)) return undefined
  const json = stripBom(text)
  try {
    const value: unknown = JSON.parse(json)
    return parseExact(json, value) ?? value
  } catch {
    return undefined
  }
}

/** True for a text that may have more values than are parsed. */
export function hasTooManyValues(text: string): boolean {
  return text.length > MAX_MARKS && countMarks(text) > MAX_MARKS
}

/** Counts `,`, `[` and `{`, which begin values, even inside texts. */
function countMarks(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x2c || code === 0x5b || code === 0x7b) count += 1
  }
  return count
}
