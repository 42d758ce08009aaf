import { formsOfSecret } from '@stagepass/contract'
import { LRUCache } from 'lru-cache/raw'

/** The secrets that this BFF uses: keys, credentials and `userSecret`. Session tokens are not kept. */
export interface Redactor {
  /** Remembers a secret. Call it at each use, so that a secret in use is not forgotten. */
  readonly note: (secret: string) => void
  /**
   * Removes secrets from a text that code of the host wrote. It compares the text with each form of each
   * secret, so it is only for lines that are written once a minute.
   */
  readonly redact: (text: string) => string
  /** True for a UUID, or for 32 hexadecimal digits, that has one of the secrets in it, or `minted`. */
  readonly isSecretId: (id: string, minted: string) => boolean
}

/**
 * Total length of the remembered secrets: those of 20,000 accounts. Beyond it, the least recently used are
 * forgotten. Only the host adds secrets, so no user can push one out.
 */
const MAX_LENGTH = 4_194_304

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
  const noted = new LRUCache<string, true>({
    maxSize: MAX_LENGTH,
    sizeCalculation: (_known, secret) => secret.length,
  })
  const all = (): readonly string[] => [...own, ...noted.keys()]

  return {
    note(secret) {
      if (secret !== '') noted.set(secret, true)
    },
    redact(text) {
      const found = new Set<string>()
      for (const secret of all())
        for (const form of formsOfSecret(secret)) if (text.includes(form)) found.add(form)
      // A form may be the beginning of a longer one.
      const longestFirst = [...found].toSorted((a, b) => b.length - a.length)
      const rest = longestFirst.reduce((left, form) => left.replaceAll(form, HIDDEN), text)
      return LOOKS.reduce((left, [look, hidden]) => left.replace(look, hidden), rest)
    },
    isSecretId(id, minted) {
      const digits = digitsOf(id)
      // The digits may be the letters of a secret.
      const letters = digits.replaceAll(/../g, (code) => String.fromCharCode(Number.parseInt(code, 16)))
      const isIn = (secret: string): boolean =>
        secret !== '' && (digits.includes(digitsOf(secret)) || letters.includes(secret))
      return isIn(minted) || all().some(isIn)
    },
  }
}
