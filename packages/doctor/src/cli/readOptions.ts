import { parseArgs } from 'node:util'
import { type Environment, readUrl, readVariables, secretsOf } from '../settings/readVariables.js'
import { readWireFile } from '../settings/readWireFile.js'
import type { Target } from '../settings/Settings.js'
import { UsageError } from '../settings/UsageError.js'

export const HELP = `Usage: stagepass-doctor [options]

Checks the connection to the voice service, and says line by line what works, what does not and what to do.

Variables:
  VOICE_API_KEY          API key of the account
  VOICE_BASE_URL         address of the token endpoint, such as https://api.example.com
  VOICE_STREAMING_URL    address of the WebSockets, such as wss://stream.example.com
  VOICE_MEETINGS_URL     address of the meetings interface. Default: VOICE_BASE_URL
  VOICE_MEETINGS_TOKEN   credential for it. Without it, meetings are not checked
  STAGEPASS_COOKIE       with --bff: the cookie of a user who is signed in

Options:
  --wire <file>          JSON file with the meetings.wire of the BFF. Default: the defaults
  --strict               exit code 1 while a value of the wire is not proven
  --expiry               also wait until a token expires, about 5 minutes
  --bff <url>            check a mounted BFF from outside instead, such as https://app.example.com/api/voice
  --cookie <cookie>      as STAGEPASS_COOKIE. Other users of this machine can see it while the doctor runs
  --json                 print one JSON object
  --version              print the version
  --help                 print this

It mints up to 8 tokens with the shortest life, and sends about 20 requests to the meetings interface, at most 2 a second.
It prints no secret. Exit code: 0 nothing fails, 1 something fails, 2 wrong use, 130 stopped.`

/** What the options ask to check. Throws `UsageError`. */
export function readTarget(options: ReturnType<typeof readOptions>, environment: Environment): Target {
  const { bff, wire, strict, expiry, cookie = environment.STAGEPASS_COOKIE || undefined } = options
  if (bff === undefined) {
    if (options.cookie !== undefined) throw new UsageError('--cookie is for --bff only', 'Give --bff too')
    const service = readVariables(environment)
    return { type: 'service', service, wire: wire === undefined ? wire : readWireFile(wire), strict, expiry }
  }
  for (const name of ['wire', 'strict', 'expiry'] as const)
    if (options[name] !== undefined)
      throw new UsageError(`--${name} is not for --bff`, 'Leave one of them out')
  if (cookie !== undefined && !/^[\x20-\x7e]+$/.test(cookie))
    throw new UsageError('the cookie holds a character that no header can hold', 'Copy it again')
  const url = readUrl('--bff', bff, 'https')
  return { type: 'bff', url, cookie, upstreamSecrets: secretsOf(environment) }
}

/** Throws `UsageError`. */
export function readOptions(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        bff: { type: 'string' },
        cookie: { type: 'string' },
        wire: { type: 'string' },
        strict: { type: 'boolean' },
        expiry: { type: 'boolean' },
        json: { type: 'boolean' },
        version: { type: 'boolean', short: 'v' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch {
    // The message of the error may repeat an argument, which may be a secret.
    throw new UsageError(
      'there is an option that it does not know, one without its value, or something beside the options',
      'See the options below',
    )
  }
}
