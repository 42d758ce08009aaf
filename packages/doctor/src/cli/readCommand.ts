import { parseArgs } from 'node:util'
import { type Environment, readAddress, readVariables, secretsOf } from '../settings/readVariables.js'
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

Options:
  --bff <url>            check a mounted BFF from outside instead, such as https://app.example.com/api/voice
  --cookie <cookie>      with --bff: the cookie of a user who is signed in, to ask for a token
  --expiry               also wait until a token expires, about 5 minutes
  --json                 print one JSON object
  --help                 print this

It mints tokens with the shortest life, and sends at most 10 list requests, at most 2 a second. It prints no secret.
Exit code: 0 nothing fails, 1 something fails, 2 wrong use, 130 stopped by Ctrl-C.`

export type Command =
  { readonly type: 'help' } | { readonly type: 'check'; readonly json: boolean; readonly target: Target }

/** Throws `UsageError`. */
export function readCommand(argv: readonly string[], environment: Environment): Command {
  const { help, json = false, bff, cookie, expiry = false } = readArguments(argv)
  if (help) return { type: 'help' }
  if (bff === undefined) {
    if (cookie !== undefined)
      throw new UsageError('Failed to start: --cookie is for --bff only. Give --bff too.')
    return { type: 'check', json, target: { type: 'service', service: readVariables(environment), expiry } }
  }
  if (expiry) throw new UsageError('Failed to start: --expiry is not for --bff. Leave one of them out.')
  if (cookie !== undefined && !/^[\x20-\x7e]+$/.test(cookie))
    throw new UsageError(
      'Failed to start: --cookie holds a character that no header can hold. Copy it again.',
    )
  const url = readAddress('--bff', bff, 'http')
  return {
    type: 'check',
    json,
    target: { type: 'bff', bff: { url, cookie, upstreamSecrets: secretsOf(environment) } },
  }
}

function readArguments(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        bff: { type: 'string' },
        cookie: { type: 'string' },
        expiry: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    // Its message may repeat an argument, which may be a secret.
    const isUnknown = error instanceof Error && Reflect.get(error, 'code') === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'
    const problem = isUnknown
      ? 'there is an option that it does not know'
      : 'an option lacks its value, has one that it does not take, or something stands beside the options'
    throw new UsageError(`Failed to read the command: ${problem}. See below.`, { cause: error })
  }
}
