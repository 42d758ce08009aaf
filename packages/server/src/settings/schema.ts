import { hasScheme, isLoopback } from '@stagepass/contract'
import { z } from 'zod'
import { readRedisAddress } from './redisAddress.js'

/*
 * The settings: variables of the environment, or the same names in a file. No message contains a value. A
 * secret has a second name with `_FILE` at the end, for the path of a file that contains it.
 */

/** An address with this scheme, or one without TLS on this machine. */
const address = (scheme: 'https' | 'wss') => {
  const open = scheme === 'https' ? 'http' : 'ws'
  return z.string().refine((value) => {
    if (!URL.canParse(value)) return false
    const { protocol, hostname, username, password, search, hash } = new URL(value)
    const isSafe = protocol === `${scheme}:` || (protocol === `${open}:` && isLoopback(hostname))
    return isSafe && `${username}${password}${search}${hash}` === ''
  }, `is not an address of ${scheme}: (${open}: only on this machine) without user, password, query and fragment. Use one such as ${scheme}://app.example.com`)
}

const portFrom = (min: number, byDefault: string) => {
  const problem = `is not a whole number from ${min} to 65535. Leave it out for ${byDefault}`
  return z.int(problem).min(min, problem).max(65_535, problem)
}

const secret = z
  .string('is not a text')
  .refine(
    (value) => !/^["']|["']$/.test(value),
    'begins or ends with a quotation mark. Write only the value, without quotation marks',
  )
  .refine(
    (value) => !/[\r\n]/.test(value),
    'contains a line break. Copy it again, and save an env file with the line ends of Unix (LF)',
  )
  .refine(
    (value) => !hasScheme(value),
    'begins with the scheme of a header ("Bearer", "api-key"). Write only what follows',
  )
  .regex(
    /^(?! )[\x20-\x7e]+(?<! )$/,
    'begins or ends with a space, or contains a control character or a character outside ASCII. Copy it again',
  )

const name = z.string().min(1, 'is empty')

/** All settings. The README has a table of them. */
export const SettingsSchema = z.strictObject({
  /** Optional if the grants of STAGEPASS_AUTHORIZE_URL have an `apiKey` each. */
  VOICE_API_KEY: secret.optional(),
  VOICE_BASE_URL: address('https'),
  VOICE_STREAMING_URL: address('wss'),
  /** Default: VOICE_BASE_URL. */
  VOICE_MEETINGS_URL: address('https').optional(),
  /** For grants with `meetings`. */
  VOICE_MEETINGS_TOKEN: secret.optional(),

  /** Origin of the site in browsers. */
  STAGEPASS_ORIGIN: z
    .string()
    .refine(
      (value) => URL.canParse(value) && /^https?:/.test(value) && new URL(value).origin === value,
      "is not an origin. Use what the browser's address bar shows, without a path: https://app.example.com. For pages of an application, such as capacitor://localhost, use createBff with allowedOrigins",
    ),
  /** The route of the team's server that says who is signed in. Set either this or STAGEPASS_JWKS_URL. */
  STAGEPASS_AUTHORIZE_URL: address('https').optional(),
  STAGEPASS_JWKS_URL: address('https').optional(),
  STAGEPASS_JWT_ISSUER: name.optional(),
  STAGEPASS_JWT_AUDIENCE: name.optional(),
  /** The claim with the audience, if it is not `aud`. */
  STAGEPASS_JWT_AUDIENCE_CLAIM: name.optional(),

  /** 0: any free port. */
  STAGEPASS_PORT: portFrom(0, '8080').default(8_080),
  /** Use 0.0.0.0 in a container. */
  STAGEPASS_HOST: name.default('127.0.0.1'),
  /** Port of the metrics for Prometheus, at /metrics. Anyone who can connect to it can read them. */
  STAGEPASS_METRICS_PORT: portFrom(1, 'none').optional(),

  /** Redis, which shares budget and limits among all instances. */
  STAGEPASS_REDIS_URL: z
    .string('is not a text')
    .superRefine((value, context) => {
      const address = readRedisAddress(value)
      if (typeof address === 'string') context.addIssue(address)
    })
    .optional(),
  /** Hides the ids of users in Redis. */
  STAGEPASS_USER_SECRET: secret
    .min(32, 'has fewer than 32 characters. Use the output of: openssl rand -base64 32')
    .optional(),
  /** The option `meetings.wire` of @stagepass/bff, as JSON. */
  STAGEPASS_MEETINGS_WIRE: z
    .record(z.string(), z.unknown(), 'is not a JSON object. See the option meetings.wire of @stagepass/bff')
    .optional(),
  /** The option `sessions` of @stagepass/bff, as JSON. */
  STAGEPASS_SESSIONS: z
    .record(z.string(), z.unknown(), 'is not a JSON object. Use {"max":50}, or {} to learn the number')
    .optional(),
  /** Takes the figures of pages: the option `vitals`. The value is that of `instrument`, objectives as JSON. */
  STAGEPASS_VITALS: z
    .record(
      z.string(),
      z.unknown(),
      'is not a JSON object. Use {}, or with objectives {"firstText":{"p95Ms":800,"target":0.99}}',
    )
    .optional(),
})

/** The settings with their defaults. */
export type Settings = z.infer<typeof SettingsSchema>
/** Name of a setting, in the environment and in the file. */
export type SettingName = keyof Settings

/** Settings whose value may be in a separate file. */
export const SECRETS = [
  'VOICE_API_KEY',
  'VOICE_MEETINGS_TOKEN',
  'STAGEPASS_REDIS_URL',
  'STAGEPASS_USER_SECRET',
] as const satisfies readonly SettingName[]
export type SecretName = (typeof SECRETS)[number]
