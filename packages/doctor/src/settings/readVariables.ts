import { readFileSync } from 'node:fs'
import {
  addressProblem,
  hasScheme,
  type MeetingsWire,
  parseTape,
  resolveMeetingsWire,
  stripBom,
  type Tape,
  withoutQuotes,
} from '@stagepass/contract'
import type { ServiceSettings } from './Settings.js'

/** Thrown if the command or a variable is wrong. The message has a remedy and contains no secret. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export type Environment = Readonly<Record<string, string | undefined>>

const REQUIRED = ['VOICE_API_KEY', 'VOICE_BASE_URL', 'VOICE_STREAMING_URL'] as const
const SECRETS = ['VOICE_API_KEY', 'VOICE_MEETINGS_TOKEN', 'STAGEPASS_COOKIE'] as const

/** Reads and checks the variables. Throws `UsageError`. */
export function readVariables(given: Environment): ServiceSettings {
  const environment = Object.fromEntries(
    Object.entries(given).map(([name, text = '']) => [name, withoutQuotes(text)]),
  )
  const missing = REQUIRED.filter((name) => !environment[name])
  if (missing.length > 0)
    throw new UsageError(
      `Failed to start: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing. Set ${REQUIRED.join(', ')}. To check the meetings, also set VOICE_MEETINGS_URL and VOICE_MEETINGS_TOKEN.`,
    )
  const { VOICE_API_KEY: apiKey = '', VOICE_MEETINGS_TOKEN: meetingsToken } = environment
  const { VOICE_BASE_URL: baseUrl, VOICE_STREAMING_URL: streamingUrl } = environment
  checkKey('VOICE_API_KEY', apiKey)
  checkKey('VOICE_MEETINGS_TOKEN', meetingsToken)
  return {
    apiKey,
    baseUrl: readUrl('VOICE_BASE_URL', baseUrl, 'https'),
    streamingUrl: readUrl('VOICE_STREAMING_URL', streamingUrl, 'wss'),
    meetingsUrl: readUrl('VOICE_MEETINGS_URL', environment.VOICE_MEETINGS_URL || baseUrl, 'https'),
    meetingsToken: meetingsToken || undefined,
  }
}

function checkKey(name: string, value = ''): void {
  checkSecret(name, value)
  if (hasScheme(value))
    throw new UsageError(
      `Failed to start: ${name} begins with the scheme of a header ("Bearer", "api-key"). Write only what follows.`,
    )
}

/** A secret is sent in a header. (security.md, S13.) */
export function checkSecret(name: string, value = ''): void {
  if (!/^[\x20-\x7e]*$/.test(value) || value !== value.trim())
    throw new UsageError(
      `Failed to start: ${name} contains a line break, a space at the beginning or end, or another character that a header cannot contain. Copy only the value again.`,
    )
}

/** The secrets of the environment, even if they are not valid, or in quotation marks. */
export const secretsOf = (environment: Environment): string[] =>
  SECRETS.flatMap((name) => {
    const text = environment[name] ?? ''
    return [text, withoutQuotes(text)].filter((secret) => secret !== '')
  })

/** Reads an encrypted address, or one on this machine. Throws `UsageError`. */
export function readUrl(name: string, value = '', scheme: 'https' | 'wss'): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const problem = addressProblem(url, scheme)
  if (url && problem === undefined) return url
  throw new UsageError(`Failed to start: ${name} ${problem}`)
}

/** Appends a path to an address. */
export function below(base: URL, path: string): URL {
  const url = new URL(base)
  url.pathname = base.pathname.replace(/\/+$/, '') + path
  return url
}

/** Reads a tape of `recordVoice` from a file. Throws `UsageError`. */
export function readTapeFile(path: string): Tape {
  try {
    return parseTape(stripBom(readFileSync(path, 'utf8')))
  } catch (cause) {
    throw new UsageError(
      'Failed to read the tape: the file of --tape is no tape, or cannot be read. Give the path of a .voicetape, as recordVoice returns it.',
      { cause },
    )
  }
}

/**
 * Reads the wire from a JSON file with the same keys as the option `meetings.wire` of the BFF. Throws
 * `UsageError`.
 */
export function readWireFile(path: string): MeetingsWire {
  let wire: unknown
  try {
    wire = JSON.parse(stripBom(readFileSync(path, 'utf8')))
  } catch (cause) {
    const problem = cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read'
    throw new UsageError(
      `Failed to read the wire: the file of --wire ${problem}. Give the path of a JSON file such as { "items": "data.items" }.`,
      { cause },
    )
  }
  return resolveMeetingsWire(wire, (part, problem) => {
    throw new UsageError(`Failed to read the wire: ${part && `"${part}" in `}the file of --wire ${problem}`)
  })
}
