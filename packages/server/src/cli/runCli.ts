import { parseArgs } from 'node:util'
import { GRANT_SCHEMA } from '@stagepass/bff/authorize'
import { type RunningServer, StartError, startServer } from '../run/startServer.js'
import type { Environment } from '../settings/readSettings.js'
import { SettingsError } from '../settings/SettingsError.js'

const HELP = `Usage: stagepass-server [options]

The BFF of Stagepass as a program beside your server. It answers at /api/voice.

Options:
  --port <number>         TCP port. Default 8080
  --host <address>        address to listen on. Default 127.0.0.1
  --config <path>         file with settings as JSON; a variable comes first
  --print-grant-schema    print what your server answers for a user, as a JSON Schema
  --help                  print this

Settings are variables, or the same names in a file:
  VOICE_API_KEY*            API key of the voice service. Required
  VOICE_BASE_URL            address of the token endpoint. Required
  VOICE_STREAMING_URL       address of the WebSockets. Required
  VOICE_MEETINGS_URL        address of the meetings interface. Default: VOICE_BASE_URL
  VOICE_MEETINGS_TOKEN*     its credential, for grants with "meetings"
  STAGEPASS_ORIGIN          where browsers see the site: https://app.example.com. Required
  STAGEPASS_AUTHORIZE_URL   the route of your server that says who is signed in; or check bearer tokens:
  STAGEPASS_JWKS_URL, STAGEPASS_JWT_ISSUER, STAGEPASS_JWT_AUDIENCE
  STAGEPASS_PORT, STAGEPASS_HOST
  STAGEPASS_METRICS_PORT    metrics for Prometheus, at /metrics. Anyone who reaches it can read them
  STAGEPASS_REDIS_URL*      one budget and one count for all instances
  STAGEPASS_USER_SECRET*    hides the ids of users in Redis: the output of openssl rand -base64 32
  STAGEPASS_MEETINGS_WIRE   paths and names of the meetings interface, as JSON
* A secret: prefer a file, which the name with _FILE at its end gives. It is read again when it changes.

Exit codes: 0 it was stopped, 1 it cannot start or has failed, 2 wrong use or wrong settings.
`

export interface CliInput {
  /** Without the runtime and the script. */
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
    // The error of `parseArgs` holds the argument.
    writeError(
      `Failed to read the command: it has an argument that is unknown, or that needs a value. Secrets are variables or files, never arguments.\n\n${HELP}`,
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
    // The messages of `createBff` hold no value.
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
