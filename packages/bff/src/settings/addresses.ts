import { addressProblem } from '@stagepass/contract'
import { z } from 'zod'

export const withoutLastSlash = (path: string): string => path.replace(/\/+$/, '')

const parseUrl = (value: unknown): URL | undefined =>
  typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined

/**
 * What is wrong with an address that ends in one of the paths that the BFF itself puts behind it: it was
 * copied from the description of an endpoint.
 */
export function endProblem({ pathname }: URL, added: readonly string[]): string | undefined {
  const path = withoutLastSlash(pathname)
  const twice = added.map(withoutLastSlash).find((end) => end !== '' && path.endsWith(end))
  return twice && `ends in ${twice}. Take that out: the BFF adds it.`
}

/** An address of the upstream: encrypted, or on loopback. */
export const address = (scheme: 'https' | 'wss', added: readonly string[] = []) =>
  z.custom<string | undefined>().transform((value, context): URL => {
    const url = parseUrl(value)
    const problem = addressProblem(url, scheme) ?? (url && endProblem(url, added))
    if (url && problem === undefined) return url
    context.addIssue(problem ?? '')
    return z.NEVER
  })

/**
 * The origin of a page, as browsers write it: any other form would never match, nor would a pattern, or a
 * name with a last dot.
 */
export const isOrigin = (value: unknown): boolean =>
  /^https?:\/\//.test(String(value)) &&
  parseUrl(value)?.origin === value &&
  !/\*|\.(?::\d+)?$/.test(String(value))

/** The path of the mount, from the root of the server. */
export const isBasePath = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^(?!$)(?:\/[\w.~!$&'(),;=@%+-]+)*\/?$/.test(value) &&
  !/\/\.\.?(?:\/|$)/.test(value)

/** The address of a page, to which a fragment can be added. */
export const isPage = (value: unknown): boolean =>
  /^https?:/i.test(String(value)) && parseUrl(value)?.hash === ''
