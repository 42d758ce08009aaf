import { formsOfSecret } from '@stagepass/contract'
import { LRUCache } from 'lru-cache/raw'

/** The secrets that this BFF uses: keys, credentials and `userSecret`. Session tokens are not kept. */
export interface Redactor {
  /** Remembers a secret. Call it at each use, so that a secret in use is not forgotten. */
  readonly note: (secret: string) => void
  /**
   * Removes secrets from a text that code of the host wrote. It compares the text with each form of each
   * secret. Returns `undefined` if that would take too long: then do not print the text.
   */
  readonly redact: (text: string) => string | undefined
  /** True for a UUID, or for 32 hexadecimal digits, that has one of the secrets in it, or `minted`. */
  readonly isSecretId: (id: string, minted: string) => boolean
}

/**
 * Bounds of the remembered secrets, in number and total length. Beyond them, the least recently used are
 * forgotten. Only the host adds secrets, so no user can push one out.
 */
const BOUNDS = { max: 20_000, maxSize: 4_194_304 }

/** Length of a text times the number of secrets. More would stop the process for over 0.1 s. */
const MAX_WORK = 300_000

const HIDDEN = '[hidden]'

/** Credentials by their look: after the scheme of a header, after a name, or three parts of a JWT. */
const LOOKS: readonly (readonly [look: RegExp, hidden: string])[] = [
  [
    /\b((?:proxy-)?authorization|(?:x-)?api[-_]?key|session[-_]key|(?:access|refresh|id)[-_]token|password|credential|secret|cookie)((?:["'\]]|%22|\\")*\s*(?:=|:|%3[ad])\s*(?:["']|%22|\\")*(?:(?:api-key|bearer|basic)(?:\s|\+|%20)+)?)[^\s"'&,;<>\\]+/gi,
    `$1$2${HIDDEN}`,
  ],
  [
    /\b(api-key|bearer|basic)((?:\s|\+|%20)+)(?!\[hidden\]|(?:tokens?|credentials?|auth\w*|headers?|keys?|schemes?)\b(?![\w=-]|\.\w))[^\s"'&,;<>\\]+/gi,
    `$1$2${HIDDEN}`,
  ],
  // A match begins only where a word begins: otherwise a long text without a dot takes quadratic time.
  [/(?<![\w-])eyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/g, HIDDEN],
]

/** An id, or a secret that may be one, with only one spelling. */
const digitsOf = (id: string): string => id.replaceAll('-', '').toLowerCase()

/** `lasting`: secrets of the options, which are never forgotten. (security.md, S60.) */
export function createRedactor(...lasting: readonly unknown[]): Redactor {
  const own = lasting.filter((secret) => typeof secret === 'string')
  /** The digits of each secret. */
  const noted = new LRUCache<string, string>({
    ...BOUNDS,
    sizeCalculation: (_digits, secret) => secret.length,
  })

  return {
    note(secret) {
      if (secret !== '') noted.set(secret, noted.get(secret) ?? digitsOf(secret))
    },
    redact(text) {
      if (text.length * (own.length + noted.size) > MAX_WORK) return undefined
      const found = new Set<string>()
      for (const secret of [...own, ...noted.keys()])
        for (const form of formsOfSecret(secret)) if (text.includes(form)) found.add(form)
      // A form may be the beginning of a longer one.
      const longestFirst = [...found].toSorted((a, b) => b.length - a.length)
      const rest = longestFirst.reduce((left, form) => left.replaceAll(form, HIDDEN), text)
      return LOOKS.reduce((left, [look, hidden]) => left.replace(look, hidden), rest)
    },
    isSecretId(id, minted) {
      const digits = digitsOf(id)
      // The digits may be the letters of a secret.
      const letters = digitsOf(
        digits.replaceAll(/../g, (code) => String.fromCharCode(Number.parseInt(code, 16))),
      )
      const isIn = (ofSecret: string): boolean =>
        ofSecret !== '' && (digits.includes(ofSecret) || letters.includes(ofSecret))
      for (const ofSecret of noted.values()) if (isIn(ofSecret)) return true
      return [...own, minted].some((secret) => isIn(digitsOf(secret)))
    },
  }
}
