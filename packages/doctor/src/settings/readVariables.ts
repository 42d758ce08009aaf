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
      `Failed to start: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing. Set ${REQUIRED.join(', ')}; for the meetings also VOICE_MEETINGS_URL and VOICE_MEETINGS_TOKEN.`,
    )
  for (const name of SECRETS) checkSecret(name, environment[name])
  const { VOICE_API_KEY: apiKey = '', VOICE_MEETINGS_TOKEN: meetingsToken } = environment
  const baseUrl = readAddress('VOICE_BASE_URL', environment.VOICE_BASE_URL, 'http')
  return {
    apiKey,
    baseUrl,
    streamingUrl: readAddress('VOICE_STREAMING_URL', environment.VOICE_STREAMING_URL, 'ws'),
    meetingsUrl: environment.VOICE_MEETINGS_URL
      ? readAddress('VOICE_MEETINGS_URL', environment.VOICE_MEETINGS_URL, 'http')
      : baseUrl,
    meetingsToken: meetingsToken || undefined,
  }
}

/** The secrets of the environment, whole or not. */
export const secretsOf = (environment: Environment): string[] =>
  SECRETS.flatMap((name) => environment[name] || [])

/** A secret becomes a header. (SECURITY.md, S13.) */
function checkSecret(name: string, value: string | undefined): void {
  if (value && !/^[\x21-\x7e]+$/.test(value))
    throw new UsageError(
      `Failed to start: ${name} holds a space, a line break or another character that no header can hold. Copy it again, without what is around it.`,
    )
}

/** An encrypted address, or one on this machine. Throws `UsageError`. */
export function readAddress(name: string, value: string | undefined, scheme: 'http' | 'ws'): URL {
  const example = scheme === 'http' ? 'https://api.example.com' : 'wss://stream.example.com'
  const refuse = (problem: string): never => {
    throw new UsageError(`Failed to start: ${name} ${problem}. Use an address such as ${example}.`)
  }
  if (!value || !URL.canParse(value)) return refuse('is not an absolute address')
  const url = new URL(value)
  if (url.username || url.password) refuse('holds a user name or a password')
  if (url.search || url.hash) refuse('holds a query or a fragment')
  if (url.protocol !== `${scheme}:` && url.protocol !== `${scheme}s:`)
    refuse(`does not begin with ${scheme}s://`)
  if (url.protocol === `${scheme}:` && !isLoopback(url.hostname))
    refuse(`is not encrypted; ${scheme}: is for this machine only, because a secret is sent there`)
  url.pathname = url.pathname.replace(/\/+$/, '')
  return url
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/** An address below another. */
export function below(base: URL, path: string): URL {
  const url = new URL(base)
  url.pathname = base.pathname.replace(/\/+$/, '') + path
  return url
}
