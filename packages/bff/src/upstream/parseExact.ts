import { parse } from 'lossless-json'

/**
 * Longest text that is parsed by the library. It needs a second and a half for this length, as long as
 * `JSON.parse` for the worst text of the allowed size.
 */
const MAX_LENGTH = 8_000_000

/** Every integer beyond 2^53 has 16 digits or more. Most texts have none, and then nothing else is done. */
const MANY_DIGITS = /\d{16}/

/**
 * Parses JSON again if `JSON.parse` has rounded an integer, such as an id of 64 bits: two meetings would have
 * the same id, and neither would be its own. Such an integer becomes a text with all its digits. Returns
 * `undefined` if nothing was rounded, or if the text is too long or too deep for the library.
 */
export function parseExact(json: string, parsed: unknown): unknown {
  if (json.length > MAX_LENGTH || !MANY_DIGITS.test(json) || !hasRoundedInteger(parsed)) return undefined
  try {
    // The last of equal keys counts, as with `JSON.parse`.
    return parse(json, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue })
  } catch {
    return undefined
  }
}

function parseNumber(digits: string): number | string {
  const number = Number(digits)
  return isRounded(number) && /^-?\d+$/.test(digits) ? digits : number
}

const isRounded = (value: number): boolean => Number.isInteger(value) && !Number.isSafeInteger(value)

/** Not recursive, because a text may be nested more deeply than the stack allows. */
function hasRoundedInteger(parsed: unknown): boolean {
  const left: unknown[] = [parsed]
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value === 'number' && isRounded(value)) return true
    if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) left.push(part)
  }
  return false
}
