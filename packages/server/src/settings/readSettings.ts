import { readFileSync } from 'node:fs'
import { mostSimilar } from './mostSimilar.js'
import {
  kindOf,
  type SecretName,
  SECRETS,
  type SettingName,
  type Settings,
  SettingsSchema,
} from './schema.js'
import { SettingsError } from './SettingsError.js'

/** Variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Where the settings are: the environment, and a file beside it. */
export interface SettingsSource {
  readonly environment: Environment
  /** Path of a file with settings as JSON. A variable comes first. */
  readonly config?: string | undefined
  /** From the command line. They come before all others. */
  readonly flags?: Partial<Record<SettingName, string>> | undefined
}

export interface ReadSettings {
  readonly settings: Settings
  /** Paths of the secrets that are in files. */
  readonly files: Readonly<Partial<Record<SecretName, string>>>
}

const NAMES = Object.keys(SettingsSchema.shape) as SettingName[]
const FILE_NAMES = SECRETS.map((name) => `${name}_FILE` as const)
const KNOWN: readonly string[] = [...NAMES, ...FILE_NAMES]

/** Reads and checks the settings. Throws a `SettingsError` with all that is wrong. */
export function readSettings(source: SettingsSource): ReadSettings {
  const problems: string[] = []
  const given = { ...readConfig(source.config, problems), ...readVariables(source, problems) }
  const files: Partial<Record<SecretName, string>> = {}
  for (const name of SECRETS) {
    const path = given[`${name}_FILE`]
    delete given[`${name}_FILE`]
    if (path === undefined) continue
    if (given[name] !== undefined) {
      problems.push(`${name} and ${name}_FILE are both set. Remove one of them.`)
    } else if (typeof path !== 'string') {
      problems.push(`${name}_FILE is not a path.`)
    } else {
      files[name] = path
      try {
        given[name] = readSecretFile(path)
      } catch (error) {
        problems.push(
          `${name}_FILE cannot be read (${codeOf(error)}). Does the file exist, and may this user read it?`,
        )
        // Anything that is valid: it is not missing.
        given[name] = name === 'STAGEPASS_REDIS_URL' ? 'redis://-' : '-'.repeat(32)
      }
    }
  }
  const parsed = SettingsSchema.safeParse(given)
  const named = new Set<PropertyKey>()
  for (const { path, code, message } of parsed.error?.issues ?? []) {
    const [name = ''] = path
    // Unknown names have their sentence already. One sentence for each setting is enough.
    if (code === 'unrecognized_keys' || named.has(name)) continue
    named.add(name)
    problems.push(
      given[String(name)] === undefined
        ? missing(String(name), source.environment)
        : `${String(name)} ${message}.`,
    )
  }
  problems.push(...contradictions(given))
  if (problems.length > 0 || !parsed.success) throw new SettingsError(problems)
  return { settings: parsed.data, files }
}

/** The secret without the line break at the end of the file. */
export const readSecretFile = (path: string): string => readFileSync(path, 'utf8').replace(/\r?\n$/, '')

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'

function readVariables({ environment, flags }: SettingsSource, problems: string[]): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const [name, value] of Object.entries({ ...environment, ...flags })) {
    // compose and many shells set a variable to nothing to leave it out.
    if (value === undefined || value === '') continue
    if (KNOWN.includes(name)) given[name] = fromText(name, value, problems)
    else if (name.startsWith('STAGEPASS_')) problems.push(unknown(name))
  }
  return given
}

/**
 * The text of a variable as the kind of value that its setting has. What does not fit stays a text, which the
 * schema refuses.
 */
function fromText(name: string, text: string, problems: string[]): unknown {
  if (name === 'STAGEPASS_PORT' && text.startsWith('tcp://'))
    problems.push(
      'STAGEPASS_PORT was set by Kubernetes, for a Service of the name "stagepass". Set enableServiceLinks: false in the pod.',
    )
  switch (FILE_NAMES.some((file) => file === name) ? 'string' : kindOf(name as SettingName)) {
    case 'number':
      return /^\d+$/.test(text) ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'array':
      return text.split(',').map((item) => item.trim())
    case 'record':
      try {
        return JSON.parse(text)
      } catch {
        return text
      }
    default:
      return text
  }
}

function readConfig(path: string | undefined, problems: string[]): Record<string, unknown> {
  if (path === undefined) return {}
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    problems.push(`The file of --config cannot be read (${codeOf(error)}). Is its path right?`)
    return {}
  }
  let config: unknown
  try {
    config = JSON.parse(text)
  } catch {
    config = undefined
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    problems.push(
      'The file of --config is not a JSON object. Use { "STAGEPASS_ORIGIN": "https://app.example.com" }.',
    )
    return {}
  }
  const { $schema: _, ...given } = config as Record<string, unknown>
  for (const name of Object.keys(given)) if (!KNOWN.includes(name)) problems.push(unknown(name))
  return given
}

const PLAIN_NAME = /^\w{1,64}$/

function unknown(name: string): string {
  if (!PLAIN_NAME.test(name)) return 'There is a setting with an unknown name.'
  const similar = mostSimilar(name, KNOWN)
  return `There is no setting ${name}. ${similar === undefined ? 'Run stagepass-server --print-schema for their names.' : `Did you mean ${similar}?`}`
}

function missing(name: string, environment: Environment): string {
  // Other programs may have variables that begin with VOICE_, so these are not refused.
  const unused = Object.keys(environment).filter((other) => PLAIN_NAME.test(other) && !KNOWN.includes(other))
  const similar = mostSimilar(name, unused)
  if (similar !== undefined) return `${name} is missing. ${similar} is set: did you mean ${name}?`
  const isSecret = SECRETS.some((secret) => secret === name)
  return `${name} is missing. Set it${isSecret ? `, or ${name}_FILE` : ''}: ${NEEDS[name] ?? ''}.`
}

const NEEDS: Readonly<Record<string, string>> = {
  VOICE_API_KEY: 'the API key, as the developer portal shows it',
  VOICE_BASE_URL: 'the address of the token endpoint, such as https://api.example.com',
  VOICE_STREAMING_URL: 'the address of the WebSockets, such as wss://stream.example.com',
  STAGEPASS_ORIGIN: "what the browser's address bar shows, without a path: https://app.example.com",
}

/** Settings that need each other. */
function contradictions(given: Readonly<Record<string, unknown>>): string[] {
  const has = (name: SettingName): boolean => given[name] !== undefined
  const problems: string[] = []
  if (has('STAGEPASS_AUTHORIZE_URL') && has('STAGEPASS_JWKS_URL'))
    problems.push(
      'STAGEPASS_AUTHORIZE_URL and STAGEPASS_JWKS_URL are both set. Remove one: there is one way to know a user.',
    )
  if (!has('STAGEPASS_AUTHORIZE_URL') && !has('STAGEPASS_JWKS_URL'))
    problems.push(
      'STAGEPASS_AUTHORIZE_URL is missing. Set it to the route of your server that says who is signed in, or check bearer tokens: STAGEPASS_JWKS_URL, STAGEPASS_JWT_ISSUER, STAGEPASS_JWT_AUDIENCE.',
    )
  for (const name of ['STAGEPASS_JWT_ISSUER', 'STAGEPASS_JWT_AUDIENCE'] as const)
    if (has('STAGEPASS_JWKS_URL') && !has(name))
      problems.push(`${name} is missing, and STAGEPASS_JWKS_URL is set. Set it to what the tokens have.`)
  for (const name of NAMES.filter((name) => name.startsWith('STAGEPASS_JWT_')))
    if (has(name) && !has('STAGEPASS_JWKS_URL'))
      problems.push(`${name} has no effect without STAGEPASS_JWKS_URL. Set that, or remove it.`)
  if (has('STAGEPASS_GRANT_CACHE_SECONDS') && !has('STAGEPASS_AUTHORIZE_URL'))
    problems.push('STAGEPASS_GRANT_CACHE_SECONDS has no effect without STAGEPASS_AUTHORIZE_URL. Remove it.')
  if (has('STAGEPASS_USER_SECRET') && !has('STAGEPASS_REDIS_URL'))
    problems.push('STAGEPASS_USER_SECRET has no effect without STAGEPASS_REDIS_URL. Set that, or remove it.')
  if (has('STAGEPASS_METRICS_PORT') && given.STAGEPASS_METRICS_PORT === (given.STAGEPASS_PORT ?? 8_080))
    problems.push(
      'STAGEPASS_METRICS_PORT is the same as STAGEPASS_PORT. The metrics need a port of their own.',
    )
  return problems
}
