import { checkAddress } from '@stagepass/contract'
import type { ServiceSettings } from './Settings.js'
import { UsageError } from './UsageError.js'

export type Environment = Readonly<Record<string, string | undefined>>

const REQUIRED = ['VOICE_API_KEY', 'VOICE_BASE_URL', 'VOICE_STREAMING_URL'] as const
const SECRETS = ['VOICE_API_KEY', 'VOICE_MEETINGS_TOKEN'] as const

/** The variables, checked. Throws `UsageError`. */
export function readVariables(environment: Environment): ServiceSettings {
  const missing = REQUIRED.filter((name) => !environment[name])
  if (missing.length > 0)
    throw new UsageError(
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
      `Set ${REQUIRED.join(', ')}; for the meetings also VOICE_MEETINGS_URL and VOICE_MEETINGS_TOKEN`,
    )
  // A secret becomes a header. (SECURITY.md, S13.)
  for (const name of SECRETS)
    if (!/^[\x21-\x7e]*$/.test(environment[name] ?? ''))
      throw new UsageError(
        `${name} holds a space, a line break or another character that no header can hold`,
        'Copy it again, without what is around it',
      )
  const { VOICE_API_KEY: apiKey = '', VOICE_MEETINGS_TOKEN: meetingsToken } = environment
  const { VOICE_BASE_URL: baseUrl, VOICE_STREAMING_URL: streamingUrl } = environment
  return {
    apiKey,
    baseUrl: readUrl('VOICE_BASE_URL', baseUrl, 'https'),
    streamingUrl: readUrl('VOICE_STREAMING_URL', streamingUrl, 'wss'),
    meetingsUrl: readUrl('VOICE_MEETINGS_URL', environment.VOICE_MEETINGS_URL || baseUrl, 'https'),
    meetingsToken: meetingsToken || undefined,
  }
}

/** The secrets of the environment, whole or not. */
export const secretsOf = (environment: Environment): string[] =>
  SECRETS.flatMap((name) => environment[name] || [])

/** An encrypted address, or one on this machine. Throws `UsageError`. */
export function readUrl(name: string, value = '', scheme: 'https' | 'wss'): URL {
  return checkAddress(URL.canParse(value) ? new URL(value) : undefined, scheme, (problem, remedy) => {
    throw new UsageError(`${name} ${problem}`, remedy)
  })
}

/** An address below another. */
export function below(base: URL, path: string): URL {
  const url = new URL(base)
  url.pathname = base.pathname.replace(/\/+$/, '') + path
  return url
}
