import { formsOfSecret } from '@stagepass/contract'

/** Removes secrets from everything that is printed. */
export interface Redactor {
  /** Hides this text in all later output. */
  readonly hide: (secret: string) => void
  readonly redact: (text: string) => string
}

/** A second protection: no check puts a secret, or text of the service or the BFF, into its result. */
export function createRedactor(): Redactor {
  const secrets = new Set<string>()
  return {
    hide(secret) {
      for (const form of [secret, ...formsOfSecret(secret)]) if (form !== '') secrets.add(form)
    },
    redact: (text) => [...secrets].reduce((rest, secret) => rest.replaceAll(secret, '[hidden]'), text),
  }
}
