import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { runCli } from '../cli/runCli.js'
import { readSettings } from './readSettings.js'
import { SettingsSchema } from './schema.js'
import { SettingsError } from './SettingsError.js'

const folder = mkdtempSync(join(tmpdir(), 'stagepass-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

const GOOD = {
  VOICE_API_KEY: 'vk_1',
  VOICE_BASE_URL: 'https://api.example.com',
  VOICE_STREAMING_URL: 'wss://stream.example.com',
  STAGEPASS_ORIGIN: 'https://app.example.com',
  STAGEPASS_AUTHORIZE_URL: 'http://127.0.0.1:5000/grant',
}

function problemsOf(
  environment: Readonly<Record<string, string | undefined>>,
  config?: string,
): readonly string[] {
  try {
    readSettings({ environment, config })
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
}

it('reads variables, with defaults', () => {
  expect(readSettings({ environment: { ...GOOD, HOME: '/root', STAGEPASS_REDIS_URL: '' } }).settings).toEqual(
    {
      ...GOOD,
      STAGEPASS_PORT: 8_080,
      STAGEPASS_HOST: '127.0.0.1',
    },
  )
})

it('reads numbers and JSON from texts, or directly from a file', () => {
  const environment = { ...GOOD, STAGEPASS_METRICS_PORT: '9464', STAGEPASS_MEETINGS_WIRE: '{"items":"data"}' }
  const config = {
    STAGEPASS_METRICS_PORT: 1_234,
    STAGEPASS_MEETINGS_WIRE: { items: 'other' },
    STAGEPASS_HOST: '::1',
  }
  const path = file('stagepass.json', JSON.stringify(config))
  expect(readSettings({ environment, config: path, flags: { STAGEPASS_PORT: '1' } }).settings).toMatchObject({
    STAGEPASS_METRICS_PORT: 9_464,
    STAGEPASS_MEETINGS_WIRE: { items: 'data' },
    STAGEPASS_HOST: '::1',
    STAGEPASS_PORT: 1,
  })
})

it('reports all problems at once, each with a remedy, and no value', () => {
  const problems = problemsOf({
    VOICE_BASE_URL: 'wss://vk_secret.example',
    VOICE_STREAMING_URL: 'ws://stream.example.com',
    STAGEPASS_ORIGIN: 'https://app.example.com/',
    STAGEPASS_AUTHORISE_URL: 'http://127.0.0.1/vk_secret',
    STAGEPASS_PORT: 'vk_secret',
    STAGEPASS_USER_SECRET: 'vk_secret',
  })
  expect(problems).toMatchInlineSnapshot(`
    [
      "There is no setting STAGEPASS_AUTHORISE_URL. Did you mean STAGEPASS_AUTHORIZE_URL?",
      "VOICE_API_KEY is missing. Set it: the API key, as the developer portal shows it. VOICE_API_KEY_FILE names a file with it.",
      "VOICE_BASE_URL is not an address of https: (http: only on this machine) without user, password, query and fragment. Use one such as https://app.example.com.",
      "VOICE_STREAMING_URL is not an address of wss: (ws: only on this machine) without user, password, query and fragment. Use one such as wss://app.example.com.",
      "STAGEPASS_ORIGIN is not an origin. Use what the browser's address bar shows, without a path: https://app.example.com. For pages of an application, such as capacitor://localhost, use createBff with allowedOrigins.",
      "STAGEPASS_PORT is not a whole number from 0 to 65535. Leave it out for 8080.",
      "STAGEPASS_USER_SECRET has fewer than 32 characters. Use the output of: openssl rand -base64 32.",
      "STAGEPASS_AUTHORIZE_URL is missing. Set it to the route of your server that says who is signed in, or check bearer tokens: STAGEPASS_JWKS_URL, STAGEPASS_JWT_ISSUER, STAGEPASS_JWT_AUDIENCE.",
      "STAGEPASS_USER_SECRET has no effect without STAGEPASS_REDIS_URL. Set STAGEPASS_REDIS_URL, or remove STAGEPASS_USER_SECRET.",
    ]
  `)
  expect(problems.join()).not.toContain('vk_secret')
})

it.each([
  ['STAGEPASS_AUTHORIZE_ULR', 'Did you mean STAGEPASS_AUTHORIZE_URL?'],
  ['STAGEPASS_ORGIN', 'Did you mean STAGEPASS_ORIGIN?'],
  ['STAGEPASS_COLOUR', 'Run stagepass-server --help'],
])('an unknown variable %s is refused', (name, remedy) => {
  expect(problemsOf({ ...GOOD, [name]: 'x' })).toEqual([expect.stringContaining(remedy)])
})

it('a variable that Kubernetes sets for a Service is explained', () => {
  expect(problemsOf({ ...GOOD, STAGEPASS_PORT: 'tcp://10.0.0.1:8080' })[0]).toContain(
    'enableServiceLinks: false',
  )
})

it.each([
  [{ STAGEPASS_JWKS_URL: 'https://login.example/jwks' }, 'are both set'],
  [{ STAGEPASS_AUTHORIZE_URL: '' }, 'STAGEPASS_AUTHORIZE_URL is missing'],
  [
    { STAGEPASS_AUTHORIZE_URL: '', STAGEPASS_JWKS_URL: 'https://l.example/' },
    'STAGEPASS_JWKS_URL and STAGEPASS_JWT_ISSUER belong together',
  ],
  [{ STAGEPASS_JWT_AUDIENCE: 'x' }, 'STAGEPASS_JWKS_URL and STAGEPASS_JWT_AUDIENCE belong together'],
  [{ STAGEPASS_USER_SECRET: 'x'.repeat(32) }, 'no effect without STAGEPASS_REDIS_URL'],
  [{ STAGEPASS_METRICS_PORT: '8080' }, 'need a different port'],
  [{ VOICE_API_KEY_FILE: '/etc/hostname' }, 'are both set'],
  [{ VOICE_API_KEY: '', VOICE_API_KEY_FILE: '/nowhere/vk' }, 'VOICE_API_KEY_FILE cannot be read (ENOENT)'],
  [{ VOICE_API_KEY: 'a key\n' }, 'Copy it again'],
  [
    { STAGEPASS_AUTHORIZE_URL: 'http://web:8000/grant' },
    'STAGEPASS_AUTHORIZE_URL is not an address of https:',
  ],
  [{ STAGEPASS_MEETINGS_WIRE: '[' }, 'is not a JSON object'],
])('S50 refuses %j', (wrong, problem) => {
  expect(problemsOf({ ...GOOD, ...wrong }).join('\n')).toContain(problem)
})

it.each([
  ['{', 'is not a JSON object'],
  ['[]', 'is not a JSON object'],
  ['{"STAGEPASS_PROT": 1}', 'Did you mean STAGEPASS_PORT?'],
  ['{"STAGEPASS_PORT": "x"}', 'STAGEPASS_PORT is not a whole number'],
])('refuses the file %s', (text, problem) => {
  expect(problemsOf(GOOD, file('wrong.json', text)).join()).toContain(problem)
  expect(problemsOf(GOOD, join(folder, 'nowhere.json')).join()).toContain('cannot be read (ENOENT)')
})

it('S50 reads secrets from files, without the line break at their end', () => {
  const { VOICE_API_KEY: key, ...rest } = GOOD
  const path = file('key', `${key}\n`)
  expect(readSettings({ environment: { ...rest, VOICE_API_KEY_FILE: path } })).toMatchObject({
    settings: { VOICE_API_KEY: key },
    files: { VOICE_API_KEY: path },
  })
})

it('has sixteen settings, each in the help', async () => {
  let help = ''
  await runCli({ argv: ['--help'], environment: {}, write: (text) => (help += text), writeError: () => {} })
  const names = Object.keys(SettingsSchema.shape)
  expect(names).toHaveLength(16)
  expect(names.filter((name) => !help.includes(name))).toEqual([])
})
