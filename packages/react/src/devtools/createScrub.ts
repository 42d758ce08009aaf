import { formsOfSecret } from '@stagepass/contract'

/** What is removed from every text of a tape. */
const PATTERNS = [
  // An e-mail address.
  /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu,
  // A JSON Web Token.
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  // A credential of a header.
  /(?<=\b(?:api-key|bearer|basic)(?:\s|%20)+)[^\s"',]{6,}/gi,
  // A key with a prefix, such as `sk_live_…`.
  /\b(?:sk|pk|st|rk|key|token|secret)[-_][\w-]{8,}/gi,
  // A key of capitals and digits, such as `AKIA…`, or of small letters too.
  /\b(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z\d]{16,}\b/g,
  /\b(?=\w*\d)(?=\w*[A-Z])(?=\w*[a-z])\w{20,}\b/g,
]
/** A long random text, such as base64. Ids with hyphens are kept, because texts are grouped by them. */
const RANDOM = /(?<![\w+/-])(?=[\w+/-]*\d)(?=[\w+/-]*[a-z])[\w+/-]{32,}={0,2}(?![\w+/-])/gi
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

interface ScrubOptions {
  /** Secrets. Each is found in all its forms: plain, percent-encoded, base64 and so on. */
  readonly secrets: Iterable<string>
  /** Names of people. Each of their words is found too, in any case. */
  readonly names: Iterable<string>
}

/**
 * Removes from texts what a tape must not have. The same value becomes the same mask, of the same length if
 * possible, so that a program that reads the text sees no other difference.
 */
export function createScrub({ secrets, names }: ScrubOptions) {
  const forms = [...secrets].flatMap((secret) => [...formsOfSecret(secret)])
  const words = [...new Set([...names].flatMap(wordsOf))].sort((one, other) => other.length - one.length)
  const name =
    words.length > 0 &&
    new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(escape).join('|')})(?![\\p{L}\\p{N}])`, 'giu')
  const masks = new Map<string, string>()

  function mask(value: string): string {
    const key = value.toLowerCase()
    const found = masks.get(key) ?? String(masks.size + 1).padStart(value.length, 'x')
    masks.set(key, found)
    return found
  }

  /** Percent-encoded text is read first, because it can write a letter in two ways. */
  function plain(text: string): string {
    const decoded = decode(text)
    const clean = inText(decoded)
    return clean === decoded ? inText(text) : clean
  }

  function inText(text: string): string {
    let clean = text
    for (const form of forms) if (clean.includes(form)) clean = clean.replaceAll(form, mask(form))
    for (const pattern of PATTERNS) clean = clean.replaceAll(pattern, mask)
    clean = clean.replaceAll(RANDOM, (value) => (UUID.test(value) ? value : mask(value)))
    if (!name) return clean
    // A letter with an accent may be written as two characters.
    const composed = clean.normalize('NFC')
    const named = composed.replaceAll(name, mask)
    return named === composed ? clean : named
  }

  function value(given: unknown): unknown {
    if (typeof given === 'string') return plain(given)
    if (Array.isArray(given)) return given.map(value)
    if (typeof given !== 'object' || given === null) return given
    return Object.fromEntries(Object.entries(given).map(([key, part]) => [plain(key), value(part)]))
  }

  return {
    value,
    /** JSON is read first, because it can write a letter in several ways. Without a finding it stays as it is. */
    text(text: string): string {
      let parsed: unknown
      try {
        parsed = JSON.parse(text)
      } catch {
        return plain(text)
      }
      const clean = JSON.stringify(value(parsed))
      return clean === JSON.stringify(parsed) ? text : clean
    },
  }
}

/** The name and its words, without initials. */
const wordsOf = (name: string): string[] =>
  [name, ...name.split(/[\s,]+/), ...name.split(/[\s,'’-]+/)]
    .map((word) => word.normalize('NFC').trim())
    .filter((word) => word.replaceAll(/[^\p{L}\p{N}]/gu, '').length > 1)

const decode = (text: string): string =>
  text.replaceAll(/(?:%[\da-f]{2})+/gi, (codes) => {
    try {
      return decodeURIComponent(codes)
    } catch {
      return codes
    }
  })

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
