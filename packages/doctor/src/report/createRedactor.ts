import { unescape } from 'node:querystring'

/** Takes secrets out of everything that is printed. */
export interface Redactor {
  /** From now on nothing of this text is printed. */
  readonly hide: (secret: string) => void
  /** The text without any part of a secret. */
  readonly redact: (text: string) => string
  /** False if a text of the other side holds a part of a secret, also with other upper and lower case. */
  readonly isSafe: (text: string) => boolean
  /** A word of the other side, such as the name of a key. `?` if it is no word, or not safe. */
  readonly show: (word: unknown) => string
}

/** So many characters of a secret in a row are a part of it. A shorter secret is one part. */
const PART_LENGTH = 8

const MASK = '[hidden]'

/**
 * The second line of defence: no check puts a secret into its result. It looks for the secret itself, and for
 * its forms in base64, hexadecimal and percent-encoding, and for every part of these that has eight
 * characters.
 */
export function createRedactor(): Redactor {
  const parts = new Set<string>()

  const isSafe = (text: string): boolean =>
    ![...parts].some((part) => text.toLowerCase().includes(part.toLowerCase()))

  return {
    hide(secret) {
      for (const form of formsOf(secret)) {
        if (form !== '') parts.add(form.slice(0, PART_LENGTH))
        for (let at = 1; at + PART_LENGTH <= form.length; at += 1) parts.add(form.slice(at, at + PART_LENGTH))
      }
    },
    redact(text) {
      // The places that belong to a secret.
      const marks = Array.from({ length: text.length }, () => false)
      for (const part of parts)
        for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
          marks.fill(true, at, at + part.length)
      const maskAt = (at: number): string => (marks[at - 1] ? '' : MASK)
      return marks.map((isPart, at) => (isPart ? maskAt(at) : text.charAt(at))).join('')
    },
    isSafe,
    show: (word) => (typeof word === 'string' && /^[\w$.-]{1,64}$/.test(word) && isSafe(word) ? word : '?'),
  }
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  // In base64, the same bytes look different at each of three offsets. The first and last characters also
  // depend on their neighbours.
  const base64 = [0, 1, 2].flatMap((offset) => {
    const moved = Buffer.concat([Buffer.alloc(offset), bytes])
    const ownFrom = offset === 0 ? 0 : offset + 1
    const forms = [moved.toString('base64').replace(/=+$/, ''), moved.toString('base64url')]
    return forms.map((form) => form.slice(ownFrom))
  })
  const hex = bytes.toString('hex')
  return [secret, encodeURIComponent(secret), unescape(secret), ...base64, hex, hex.toUpperCase()]
}
