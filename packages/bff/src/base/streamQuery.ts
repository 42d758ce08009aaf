import { type Product, wellFormed } from '@stagepass/contract'
import { z } from 'zod'
import { byProduct } from './byProduct.js'
import type { Secret } from './Secret.js'
import { objectOf } from './schema.js'

/** Parameters that the address of a product's socket has, such as `{ stt: { language: 'en' } }`. */
export type StreamQuery = {
  readonly [Name in Product]?: Readonly<Record<string, string | number | boolean>> | undefined
}

const MAX_PARAMETERS = 20
const MAX_LENGTH = 256

const NO_PARAMETERS = `is not an object with up to ${MAX_PARAMETERS} names and texts, numbers or true and false{seen}. Use one such as { language: 'en' }.`
const NO_VALUE = `is not a text of at most ${MAX_LENGTH} characters, a number, true or false{seen}.`

const NAME = /^[\w.-]{1,64}$/
/** Names of what a page must not see, and of the token that it adds itself. */
const SECRET_NAME =
  /(?:^|[._-])(?:auth(?:orization)?|token|secret|password|key|credentials?)$|(?:Token|Secret|Password|Key)$/i

/** A control character, or half of an emoji, cannot be in an address. */
const isText = (text: string): boolean =>
  text.length <= MAX_LENGTH && wellFormed(text) === text && !/\p{Cc}/u.test(text)

const value = z.union([z.string().refine(isText, NO_VALUE), z.number(), z.boolean()], NO_VALUE)

const parameters = z
  .record(z.string(), value, NO_PARAMETERS)
  .superRefine((all, context) => {
    const names = Object.keys(all)
    if (names.length > MAX_PARAMETERS) context.addIssue(NO_PARAMETERS)
    for (const name of names) {
      if (!NAME.test(name)) context.addIssue('has a name that is not 1 to 64 letters, digits and . _ -.')
      if (SECRET_NAME.test(name))
        context.addIssue(
          `has the name of a secret, "${name.slice(0, 64)}". The address goes to the page: leave it out. The page adds its token itself.`,
        )
    }
  })
  .optional()

/** The schema of an option or a part of a grant. */
export const streamQuery = objectOf(byProduct(() => parameters))

export const SECRET_IN_QUERY =
  'contains a key or credential, and the page sees it. Leave it out: the page adds its token itself.'

/**
 * True if a value has one of these secrets, which the page would see. The values of functions are not known
 * here.
 */
export function hasSecret(query: StreamQuery | undefined, secrets: readonly (Secret | undefined)[]): boolean {
  const known = secrets.filter((secret) => typeof secret === 'string')
  return Object.values(query ?? {}).some((one) =>
    Object.values(one ?? {}).some((text) => known.some((secret) => String(text).includes(secret))),
  )
}
