import { addressProblem } from '@stagepass/contract'
import { z } from 'zod'
import { valueKind } from './valueKind.js'

export const withoutLastSlash = (path: string): string => path.replace(/\/+$/, '')

const parseUrl = (value: unknown): URL | undefined =>
  typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined

/**
 * Describes the problem of an address that already ends in a path that the BFF appends. It was probably
 * copied from the description of an endpoint.
 */
export function endProblem({ pathname }: URL, added: readonly string[]): string | undefined {
  const path = withoutLastSlash(pathname)
  const twice = added.map(withoutLastSlash).find((end) => end !== '' && path.endsWith(end))
  return twice && `ends in ${twice}. Remove this part: the BFF adds it.`
}

/** Schema of an upstream address: encrypted, or on loopback. */
export const address = (scheme: 'https' | 'wss', added: readonly string[] = []) =>
  z.custom<unknown>().transform((value, context): URL => {
    const url = parseUrl(value)
    const problem =
      value === undefined || typeof value === 'string'
        ? (addressProblem(url, scheme) ?? (url && endProblem(url, added)))
        : `is ${valueKind(value)}, not a text. Use one such as ${scheme}://api.example.com; for a URL, pass its href.`
    if (url && problem === undefined) return url
    context.addIssue(problem ?? '')
    return z.NEVER
  })

/** True for a mount path, from the root of the server. */
export const isBasePath = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^(?!$)(?:\/[\w.~!$&'(),;=@%+-]+)*\/?$/.test(value) &&
  !/\/\.\.?(?:\/|$)/.test(value)
