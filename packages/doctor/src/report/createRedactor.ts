/** Takes secrets out of everything that is printed. */
export interface Redactor {
  /** From now on nothing of this text is printed. */
  hide(secret: string): void
  /** The text without any part of a secret. */
  redact(text: string): string
  /** False if a text of the other side holds a part of a secret, also with other upper and lower case. */
  isSafe(text: string): boolean
}

/** So many characters of a secret in a row are a part of it. A shorter secret is one part. */
const PART_LENGTH = 8

const MASK = '[hidden]'

/**
 * The second line of defence: no check puts a secret into its result. It looks for the secret itself, and for its forms in base64, hexadecimal
 * and percent-encoding, and for every part of these that has eight characters.
 */
export function createRedactor(): Redactor {
  const parts = new Set<string>()
  const folded = new Set<string>()
  const lengths = new Set<number>()

  /** The places of a text that belong to a secret. */
  const marksIn = (text: string): boolean[] => {
    const marks = Array.from({ length: text.length }, () => false)
    for (const length of lengths)
      for (let at = 0; at + length <= text.length; at += 1)
        if (parts.has(text.slice(at, at + length))) marks.fill(true, at, at + length)
    return marks
  }
  const add = (part: string): void => {
    parts.add(part)
    lengths.add(part.length)
    folded.add(part.toLowerCase())
  }

  return {
    hide(secret) {
      for (const form of formsOf(secret)) {
        if (form.length <= PART_LENGTH) {
          if (form !== '') add(form)
          continue
        }
        for (let at = 0; at + PART_LENGTH <= form.length; at += 1) add(form.slice(at, at + PART_LENGTH))
      }
    },
    redact(text) {
      const marks = marksIn(text)
      if (!marks.includes(true)) return text
      let shown = ''
      for (let at = 0; at < text.length; at += 1) {
        if (!marks[at]) shown += text[at]
        else if (!marks[at - 1]) shown += MASK
      }
      return shown
    },
    isSafe: (text) => ![...folded].some((part) => text.toLowerCase().includes(part)),
  }
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  // In base64, the same bytes look different at each of three offsets. The first and last characters also depend on their neighbours.
  const base64 = [0, 1, 2].flatMap((offset) => {
    const inner = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const own = offset === 0 ? inner : inner.slice(offset + 1)
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
  const hex = bytes.toString('hex')
  return [
    ...new Set([secret, encodeURIComponent(secret), decoded(secret), ...base64, hex, hex.toUpperCase()]),
  ]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
