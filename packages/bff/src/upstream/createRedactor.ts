import { formsOfSecret, SHORTEST_FORM } from '@stagepass/contract'
import { LRUCache } from 'lru-cache/raw'

/** Removes secrets from a text of others, such as the message of an error that the host's code threw. */
type Redact = (text: string) => string

/** Keeps the secrets that this BFF uses, only to find them again in texts. */
export interface Redactor {
  /** Remembers a secret. It costs nothing until a text is read. */
  readonly note: (secret: string) => void
  readonly redact: Redact
}

/** Total length of the remembered secrets. Beyond it, the least recently used are forgotten. */
const MAX_LENGTH = 262_144

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
  [/\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/g, HIDDEN],
]

/**
 * Finds secrets in all forms of `formsOfSecret`. `lasting`: secrets of the options, which are never
 * forgotten. (security.md, S60.)
 */
export function createRedactor(...lasting: readonly unknown[]): Redactor {
  /** Remembered secrets whose forms were not needed yet. */
  const fresh = new Set<string>()
  /** Each form, by its first letters: so the time for a text does not depend on the number of secrets. */
  const forms = new Map<string, Set<string>>()
  const secrets = new LRUCache<string, true>({
    maxSize: MAX_LENGTH,
    sizeCalculation: (_known, secret) => secret.length,
    dispose: (_known, secret, reason) => {
      // Its forms stay if it was set again or is of the options, and were never added if it is fresh.
      if (reason === 'set' || fresh.delete(secret) || lasting.includes(secret)) return
      for (const form of formsOfSecret(secret)) forms.get(headOf(form))?.delete(form)
    },
  })

  for (const secret of lasting)
    if (typeof secret === 'string' && secret.length >= SHORTEST_FORM) addForms(secret)

  function addForms(secret: string): void {
    for (const form of formsOfSecret(secret)) {
      const head = headOf(form)
      const others = forms.get(head)
      if (others) others.add(form)
      else forms.set(head, new Set([form]))
    }
  }

  /** Length of the longest form that begins at a place of the text. */
  function lengthAt(text: string, at: number): number {
    let longest = 0
    for (const form of forms.get(text.slice(at, at + SHORTEST_FORM)) ?? [])
      if (form.length > longest && text.startsWith(form, at)) longest = form.length
    return longest
  }

  return {
    note(secret) {
      if (secret.length < SHORTEST_FORM) return
      if (!secrets.has(secret)) fresh.add(secret)
      secrets.set(secret, true)
    },
    redact(text) {
      for (const secret of fresh) addForms(secret)
      fresh.clear()
      let kept = ''
      let from = 0
      for (let at = 0; at < text.length; at += 1) {
        const length = lengthAt(text, at)
        if (length === 0) continue
        kept += text.slice(from, at) + HIDDEN
        from = at + length
        at = from - 1
      }
      kept += text.slice(from)
      return LOOKS.reduce((rest, [look, hidden]) => rest.replace(look, hidden), kept)
    },
  }
}

const headOf = (form: string): string => form.slice(0, SHORTEST_FORM)
