/** Takes secrets out of everything that is printed. */
export interface Redactor {
  /** From now on nothing of this text is printed. */
  readonly hide: (secret: string) => void
  readonly redact: (text: string) => string
}

/** The second line of defence: no check puts a secret, or a text of the other side, into its result. */
export function createRedactor(): Redactor {
  const secrets = new Set<string>()
  return {
    hide(secret) {
      for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
        if (form !== '') secrets.add(form)
    },
    redact: (text) => [...secrets].reduce((rest, secret) => rest.replaceAll(secret, '[hidden]'), text),
  }
}
