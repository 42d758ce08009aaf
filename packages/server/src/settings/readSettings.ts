import { mostSimilar, withoutQuotes } from '@stagepass/contract'
import { type Proxy, readProxy } from './readProxy.js'
import { type SecretName, SECRETS, type SettingName, type Settings, SettingsSchema } from './schema.js'
import { SettingsError } from './SettingsError.js'
import { fileProblem, readSecretFile, readTextFile } from './texts.js'

/** Variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The sources of the settings: the environment and a file. */
export interface SettingsSource {
  readonly environment: Environment
  /** Path of a file with settings as JSON. Variables have precedence. */
  readonly config?: string | undefined
  /** Settings of the command line. They have precedence over all others. */
  readonly flags?: Partial<Record<SettingName, string>> | undefined
}

export interface ReadSettings {
  readonly settings: Settings
  /** Paths of the secrets that are in files. */
  readonly files: Readonly<Partial<Record<SecretName, string>>>
  /** The proxy of the environment. */
  readonly proxy: Proxy | undefined
}

const KNOWN: readonly string[] = [
  ...Object.keys(SettingsSchema.shape),
  ...SECRETS.map((name) => `${name}_FILE`),
]

/** Reads and checks the settings. Rejects with a `SettingsError` with all problems. */
export async function readSettings({ environment, config, flags }: SettingsSource): Promise<ReadSettings> {
  const problems: string[] = []
  const fromFile = await readConfig(config, problems)
  const given = { ...fromFile, ...readVariables({ ...environment, ...flags }, problems) }
  const files = await readSecretFiles(given, problems)
  const parsed = SettingsSchema.safeParse(given)
  const named = new Set<string>()
  for (const { path, code, message } of parsed.error?.issues ?? []) {
    const setting = String(path[0])
    // Unknown names are already reported. One sentence for each setting is enough.
    if (code === 'unrecognized_keys' || named.has(setting)) continue
    named.add(setting)
    problems.push(given[setting] === undefined ? missing(setting) : `${setting} ${message}.`)
  }
  problems.push(...contradictions(given))
  const proxy = readProxy(environment)
  if (typeof proxy === 'string') throw new SettingsError([...problems, proxy])
  if (problems.length > 0 || !parsed.success) throw new SettingsError(problems)
  return { settings: parsed.data, files, proxy }
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'

function readVariables(variables: Environment, problems: string[]): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const [variable, text] of Object.entries(variables)) {
    // An env file may begin with a byte order mark, which then belongs to the first name.
    const name = variable.replace(/^\ufeff/, '')
    const value = text && cleanVariable(name, text)
    // compose and many shells set an empty value for a variable that is not set.
    if (value === undefined || value === '') continue
    if (KNOWN.includes(name)) given[name] = fromText(name, value)
    else if (name.startsWith('STAGEPASS_')) problems.push(unknown(name))
  }
  if (variables.STAGEPASS_PORT?.startsWith('tcp://'))
    problems.push(
      'STAGEPASS_PORT was set by Kubernetes, for a Service with the name "stagepass". Set enableServiceLinks: false in the pod.',
    )
  return given
}

/** The lines of an env file from Windows end in CR LF. A secret with a CR is refused. (security.md, S13.) */
function cleanVariable(name: string, text: string): string {
  const isSecret = SECRETS.some((secret) => secret === name)
  const line = text.replace(/^\ufeff/, '')
  return withoutQuotes(isSecret ? line : line.replace(/[\r\n]+$/, ''))
}

const JSON_SETTINGS = new Set(['STAGEPASS_MEETINGS_WIRE', 'STAGEPASS_SESSIONS', 'STAGEPASS_VITALS'])

/**
 * Converts a text to the type of its setting. A text that cannot be converted stays a text, which the schema
 * refuses.
 */
function fromText(name: string, text: string): unknown {
  if (name.endsWith('_PORT')) return /^\d+$/.test(text) ? Number(text) : text
  return JSON_SETTINGS.has(name) ? (parseJson(text) ?? text) : text
}

async function readConfig(path: string | undefined, problems: string[]): Promise<Record<string, unknown>> {
  if (path === undefined) return {}
  let text: string
  try {
    text = await readTextFile(path)
  } catch (error) {
    problems.push(`The file of --config ${fileProblem(error)}.`)
    return {}
  }
  const config = parseJson(text)
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    problems.push(
      'The file of --config is not a JSON object. Use { "STAGEPASS_ORIGIN": "https://app.example.com" }.',
    )
    return {}
  }
  for (const name of Object.keys(config)) if (!KNOWN.includes(name)) problems.push(unknown(name))
  return { ...config }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Replaces each path of a secret file by the content of the file. Returns the paths. */
async function readSecretFiles(
  given: Record<string, unknown>,
  problems: string[],
): Promise<Partial<Record<SecretName, string>>> {
  const files: Partial<Record<SecretName, string>> = {}
  for (const name of SECRETS) {
    const path = given[`${name}_FILE`]
    delete given[`${name}_FILE`]
    if (path === undefined) continue
    if (given[name] !== undefined) {
      problems.push(`${name} and ${name}_FILE are both set. Remove one of them.`)
      continue
    }
    if (typeof path !== 'string') {
      problems.push(`${name}_FILE is not a path.`)
      continue
    }
    files[name] = path
    try {
      given[name] = await readSecretFile(path)
    } catch (error) {
      problems.push(`${name}_FILE ${fileProblem(error)}.`)
      // Any valid value, so that the setting is not also reported as missing.
      given[name] = name === 'STAGEPASS_REDIS_URL' ? 'redis://-' : '-'.repeat(32)
    }
  }
  return files
}

function unknown(name: string): string {
  if (!/^\w{1,64}$/.test(name)) return 'There is a setting with an unknown name.'
  // A low limit, because all names begin with the same letters.
  const similar = mostSimilar(name, KNOWN, 1 / 5)
  return `There is no setting ${name}. ${similar === undefined ? 'Run stagepass-server --help for all names.' : `Did you mean ${similar}?`}`
}

const NEEDS: Readonly<Record<string, string>> = {
  VOICE_BASE_URL: 'the address of the token endpoint, such as https://api.example.com',
  VOICE_STREAMING_URL: 'the address of the WebSockets, such as wss://stream.example.com',
  STAGEPASS_ORIGIN: "what the browser's address bar shows, without a path: https://app.example.com",
}
const missing = (name: string): string => `${name} is missing. Set it: ${NEEDS[name]}.`

/** Checks settings that depend on each other. */
function contradictions(given: Readonly<Record<string, unknown>>): string[] {
  const has = (name: SettingName): boolean => given[name] !== undefined
  const problems: string[] = []
  if (has('STAGEPASS_AUTHORIZE_URL') && has('STAGEPASS_JWKS_URL'))
    problems.push(
      'STAGEPASS_AUTHORIZE_URL and STAGEPASS_JWKS_URL are both set. Remove one of them: users are identified in only one way.',
    )
  if (!has('STAGEPASS_AUTHORIZE_URL') && !has('STAGEPASS_JWKS_URL'))
    problems.push(
      'STAGEPASS_AUTHORIZE_URL is missing. Set it to the route of your server that says who is signed in, or check bearer tokens: STAGEPASS_JWKS_URL, STAGEPASS_JWT_ISSUER, STAGEPASS_JWT_AUDIENCE.',
    )
  // The claims of a bearer token can be read in the page, so they hold no key.
  if (!has('VOICE_API_KEY') && !has('STAGEPASS_AUTHORIZE_URL'))
    problems.push(
      'VOICE_API_KEY is missing. Set it: the API key, as the developer portal shows it. VOICE_API_KEY_FILE names a file with it.',
    )
  for (const name of ['STAGEPASS_JWT_ISSUER', 'STAGEPASS_JWT_AUDIENCE'] as const)
    if (has(name) !== has('STAGEPASS_JWKS_URL'))
      problems.push(
        `STAGEPASS_JWKS_URL and ${name} belong together. Set both, to the values for your tokens, or neither.`,
      )
  if (has('STAGEPASS_JWT_AUDIENCE_CLAIM') && !has('STAGEPASS_JWKS_URL'))
    problems.push('STAGEPASS_JWT_AUDIENCE_CLAIM has no effect without STAGEPASS_JWKS_URL. Remove it.')
  if (has('STAGEPASS_USER_SECRET') && !has('STAGEPASS_REDIS_URL'))
    problems.push(
      'STAGEPASS_USER_SECRET has no effect without STAGEPASS_REDIS_URL. Set STAGEPASS_REDIS_URL, or remove STAGEPASS_USER_SECRET.',
    )
  if (Object.keys(Object(given.STAGEPASS_VITALS)).length > 0 && !has('STAGEPASS_METRICS_PORT'))
    problems.push(
      'STAGEPASS_VITALS has objectives, which are metrics. Set STAGEPASS_METRICS_PORT, or STAGEPASS_VITALS to {}.',
    )
  if (has('STAGEPASS_METRICS_PORT') && given.STAGEPASS_METRICS_PORT === (given.STAGEPASS_PORT ?? 8_080))
    problems.push('STAGEPASS_METRICS_PORT is the same as STAGEPASS_PORT. The metrics need a different port.')
  return problems
}
