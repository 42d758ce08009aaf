import { z } from 'zod'

/*
 * The settings: variables of the environment, or the same names in a file. No message holds a value. A secret
 * has a second name, with `_FILE` at its end, for the path of a file that holds it.
 */

const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const

const LOOPBACK = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/

/** An address of the scheme, or one without TLS on this machine. */
const address = (scheme: 'https' | 'wss', what: string) => {
  const open = scheme === 'https' ? 'http' : 'ws'
  return z
    .string()
    .refine((value) => {
      if (!URL.canParse(value)) return false
      const { protocol, hostname, username, password, search, hash } = new URL(value)
      const isSafe = protocol === `${scheme}:` || (protocol === `${open}:` && LOOPBACK.test(hostname))
      return isSafe && `${username}${password}${search}${hash}` === ''
    }, `is not an address of ${scheme}: (${open}: on this machine only) without user, password, query and fragment. Use one such as ${scheme}://app.example.com`)
    .meta({ description: what })
}

const whole = (what: string, min: number, max: number, byDefault: string) => {
  const problem = `is not a whole number from ${min} to ${max}. Leave it out for ${byDefault}`
  return z
    .int(problem)
    .min(min, problem)
    .max(max, problem)
    .meta({ description: `${what} Default: ${byDefault}.` })
}

const yesOrNo = (what: string) =>
  z.boolean('is not true or false. Leave it out for false').meta({ description: `${what} Default: false.` })

const secret = (what: string) =>
  z
    .string('is not a text')
    .regex(
      /^(?! )[\x20-\x7e]+(?<! )$/,
      'begins or ends with a space, or holds a control character or one outside ASCII. Copy it again',
    )
    .meta({ description: `${what} A secret: prefer its name with _FILE.` })

const longSecret = (what: string) =>
  secret(what).min(32, 'has fewer than 32 characters. Use the output of: openssl rand -base64 32')

const origin = z
  .string()
  .refine(
    (value) => URL.canParse(value) && /^https?:/.test(value) && new URL(value).origin === value,
    "is not an origin. Use what the browser's address bar shows, without a path: https://app.example.com",
  )

const name = (what: string) => z.string().min(1, 'is empty').meta({ description: what })

/** All settings. */
export const SettingsSchema = z.strictObject({
  VOICE_API_KEY: secret('API key of the voice service. Required.'),
  VOICE_BASE_URL: address('https', 'Address of the token endpoint. Required.'),
  VOICE_STREAMING_URL: address('wss', 'Address of the WebSockets. Required.'),
  VOICE_MEETINGS_URL: address(
    'https',
    'Address of the meetings interface. Default: VOICE_BASE_URL.',
  ).optional(),
  VOICE_MEETINGS_TOKEN: secret(
    'Credential of the meetings interface, for grants with "meetings".',
  ).optional(),

  STAGEPASS_ORIGIN: origin.meta({
    description: 'Where browsers see the site, such as https://app.example.com. Required.',
  }),
  STAGEPASS_AUTHORIZE_URL: address(
    'https',
    'The route of your server that says who is signed in. This, or STAGEPASS_JWKS_URL.',
  ).optional(),
  STAGEPASS_GRANT_CACHE_SECONDS: whole(
    'How long an answer of that route serves equal requests. Someone who signs out keeps access for as long.',
    0,
    60,
    '5',
  ).optional(),
  STAGEPASS_JWKS_URL: address('https', 'Keys of the issuer of bearer tokens (JWKS).').optional(),
  STAGEPASS_JWT_ISSUER: name('The exact "iss" of the tokens.').optional(),
  STAGEPASS_JWT_AUDIENCE: name('What "aud" of a token must hold.').optional(),
  STAGEPASS_JWT_ALGORITHMS: z
    .array(
      z.enum(
        ALGORITHMS,
        `is not a list of signatures with a public key. Use some of ${ALGORITHMS.join(', ')}`,
      ),
    )
    .min(1, 'is empty. Leave it out for RS256, ES256, EdDSA')
    .meta({ description: 'Signatures that are accepted. Default: RS256, ES256, EdDSA.' })
    .optional(),
  STAGEPASS_JWT_USER_CLAIM: name("The claim with the user's stable id. Default: sub.").optional(),
  STAGEPASS_JWT_GRANT_CLAIM: name('The claim with the rest of the grant. Default: stagepass.').optional(),

  STAGEPASS_PORT: whole('TCP port; 0 for any free one.', 0, 65_535, '8080').default(8_080),
  STAGEPASS_HOST: name('Address to listen on; 0.0.0.0 in a container. Default: 127.0.0.1.').default(
    '127.0.0.1',
  ),
  STAGEPASS_BASE_PATH: z
    .string()
    .regex(/^(?:\/[\w.~-]+)+$/, 'is not a path. Use the path of the routes on the site: /api/voice')
    .meta({ description: 'Path of the routes on the site. Default: /api/voice.' })
    .default('/api/voice'),
  STAGEPASS_METRICS_PORT: whole(
    'Port of the metrics for Prometheus, at /metrics. Anyone who reaches it can read them.',
    1,
    65_535,
    'none',
  ).optional(),
  STAGEPASS_LOG_LEVEL: z
    .enum(['info', 'warn', 'error'], 'is not one of info, warn, error. Leave it out for info')
    .meta({ description: 'Least level of the lines on stdout. Default: info.' })
    .default('info'),
  STAGEPASS_DRAIN_DELAY_SECONDS: whole(
    'How long to go on after SIGTERM while /ready already answers 503, for a balancer to notice.',
    0,
    300,
    '0',
  ).default(0),

  STAGEPASS_REDIS_URL: z
    .string()
    .regex(
      /^rediss?:\/\/./,
      'is not an address of redis: or rediss:. Use one such as rediss://redis.example.com',
    )
    .meta({ description: 'Makes limits and budget one for all instances. A secret if it has a password.' })
    .optional(),
  STAGEPASS_USER_SECRET: longSecret('Hides the ids of users in Redis.').optional(),

  STAGEPASS_TOKENS_PER_MINUTE: whole('Token requests of one user.', 1, 1_000_000_000, '30').optional(),
  STAGEPASS_MEETINGS_PER_MINUTE: whole('Meetings requests of one user.', 1, 1_000_000_000, '120').optional(),
  STAGEPASS_DEADLINE_MS: whole('Longest time for one request.', 1, 600_000, '10000').optional(),
  STAGEPASS_ALLOWED_ORIGINS: z
    .array(origin)
    .meta({ description: 'Other origins whose pages may call, separated by commas.' })
    .optional(),
  STAGEPASS_MASK_ACCOUNT_ERRORS: yesOrNo('Hides errors of the account from the page.').optional(),
  STAGEPASS_MEETINGS_ACCOUNT: z
    .string()
    .regex(/^[\w.:-]{1,64}$/, 'is not a short name. Use letters, digits and . : _ -')
    .meta({ description: 'Name of the account whose budget is shared. Default: main.' })
    .optional(),
  STAGEPASS_MEETINGS_RESERVE: whole('Slots left to other programs of the account.', 0, 24, '0').optional(),
  STAGEPASS_MEETINGS_STRICT: yesOrNo('Never more than 5 meetings requests in one second.').optional(),
  STAGEPASS_MEETINGS_CACHE_MS: whole(
    'How long a page of meetings may be served again.',
    0,
    60_000,
    '3000',
  ).optional(),
  STAGEPASS_MEETINGS_WIRE: z
    .record(z.string(), z.unknown(), 'is not a JSON object. See the option meetings.wire of @stagepass/bff')
    .meta({ description: 'Paths and names of the meetings interface, as JSON.' })
    .optional(),
})

/** The settings with their defaults. */
export type Settings = z.infer<typeof SettingsSchema>
/** A setting, as it is named in the environment and in the file. */
export type SettingName = keyof Settings

/** Settings that may be in a file of their own. */
export const SECRETS = [
  'VOICE_API_KEY',
  'VOICE_MEETINGS_TOKEN',
  'STAGEPASS_REDIS_URL',
  'STAGEPASS_USER_SECRET',
] as const satisfies readonly SettingName[]
export type SecretName = (typeof SECRETS)[number]

/** The settings as a JSON Schema. */
export function printSchema(): string {
  const { properties = {}, ...schema } = z.toJSONSchema(SettingsSchema, { io: 'input' })
  const files = SECRETS.map((secret) => [
    `${secret}_FILE`,
    { type: 'string', description: `Path of a file that holds ${secret}. It is read again when it changes.` },
  ])
  return JSON.stringify(
    {
      title: 'Settings of stagepass-server',
      ...schema,
      // The key may be in a file.
      required: schema.required?.filter((required) => required !== 'VOICE_API_KEY'),
      properties: { $schema: { type: 'string' }, ...properties, ...Object.fromEntries(files) },
    },
    null,
    2,
  )
}

/** What kind of value a setting has: variables are texts. */
export function kindOf(setting: SettingName): string {
  let type: z.core.$ZodType = SettingsSchema.shape[setting]
  while (type instanceof z.ZodOptional || type instanceof z.ZodDefault) type = type.def.innerType
  return type._zod.def.type
}
