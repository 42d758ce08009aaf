import { parseArgs } from 'node:util'
import { GRANT_SCHEMA } from '@stagepass/bff/authorize'
import { type RunningServer, StartError, startServer } from '../run/startServer.js'
import type { Environment } from '../settings/readSettings.js'
import { SettingsError } from '../settings/SettingsError.js'

const HELP = `Usage: stagepass-server [options]

The BFF of Stagepass as a program next to your server. Its routes are at /api/voice.

Options:
  --port <number>         TCP port. Default 8080
  --host <address>        address to listen on. Default 127.0.0.1
  --config <path>         file with settings as JSON. Variables have precedence
  --print-grant-schema    print the JSON Schema of the grant that your server returns for a user
  --help                  print this help

Settings are variables, or the same names in a file:
  VOICE_API_KEY*            API key of the voice service. Required, unless each grant of your route has an apiKey
  VOICE_BASE_URL            address of the token endpoint. Required
  VOICE_STREAMING_URL       address of the WebSockets. Required
  VOICE_MEETINGS_URL        address of the meetings interface. Default: VOICE_BASE_URL
  VOICE_MEETINGS_TOKEN*     credential of the meetings interface, for grants with "meetings"
  STAGEPASS_ORIGIN          origin of the site in browsers: https://app.example.com. Required
  STAGEPASS_AUTHORIZE_URL   the route of your server that says who is signed in; or check bearer tokens:
  STAGEPASS_JWKS_URL, STAGEPASS_JWT_ISSUER, STAGEPASS_JWT_AUDIENCE, STAGEPASS_JWT_AUDIENCE_CLAIM
  STAGEPASS_PORT, STAGEPASS_HOST
  HTTPS_PROXY or HTTP_PROXY, NO_PROXY    a company proxy
  STAGEPASS_METRICS_PORT    port of the metrics for Prometheus, at /metrics. Anyone who can connect can read them
  STAGEPASS_REDIS_URL*      Redis, which shares budget and limits among all instances
  STAGEPASS_USER_SECRET*    hides the ids of users in Redis. Use the output of: openssl rand -base64 32
  STAGEPASS_MEETINGS_WIRE   paths and names of the meetings interface, as JSON
  STAGEPASS_SESSIONS        shares the simultaneous sessions, as JSON: {"max":50}
  STAGEPASS_VITALS          takes what pages measure: {}, or objectives as JSON: {"firstText":{"p95Ms":800,"target":0.99}}
* A secret. A file is safer: add _FILE to the name, and set it to the path. A changed file is read again.

Exit codes: 0 stopped, 1 cannot start or failed, 2 wrong use or wrong settings.
`

export interface CliInput {
  /** The arguments without the runtime and the script. */
  readonly argv: readonly string[]
  readonly environment: Environment
  readonly write: (text: string) => void
  readonly writeError: (text: string) => void
}

/** The exit code, or the server if one was started. */
export type CliResult = { readonly exitCode: number } | { readonly server: RunningServer }

/** The command line without its process. */
export async function runCli({ argv, environment, write, writeError }: CliInput): Promise<CliResult> {
  let options: ReturnType<typeof parse>
  try {
    options = parse(argv)
  } catch {
    // The message of `parseArgs` contains the argument, which may be a secret.
    writeError(
      `Failed to read the command: an argument is unknown or needs a value. Set secrets with variables or files, never with arguments.\n\n${HELP}`,
    )
    return { exitCode: 2 }
  }
  if (options.help) return print(HELP)
  if (options['print-grant-schema']) return print(`${JSON.stringify(GRANT_SCHEMA, null, 2)}\n`)
  try {
    const { config, port, host } = options
    const flags = {
      ...(port !== undefined && { STAGEPASS_PORT: port }),
      ...(host !== undefined && { STAGEPASS_HOST: host }),
    }
    return { server: await startServer({ environment, config, flags, write }) }
  } catch (error) {
    // The messages of `createBff` contain no values.
    const isWrong = error instanceof SettingsError || error instanceof TypeError
    if (!isWrong && !(error instanceof StartError)) throw error
    writeError(`${error.message}\n`)
    return { exitCode: isWrong ? 2 : 1 }
  }

  function print(text: string): CliResult {
    write(text)
    return { exitCode: 0 }
  }
}

function parse(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      config: { type: 'string' },
      'print-grant-schema': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  }).values
}
