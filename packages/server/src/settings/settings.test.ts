import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
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

async function problemsOf(
  environment: Readonly<Record<string, string | undefined>>,
  config?: string,
): Promise<readonly string[]> {
  try {
    await readSettings({ environment, config })
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
}

it('reads variables, with defaults', async () => {
  expect(
    (await readSettings({ environment: { ...GOOD, HOME: '/root', STAGEPASS_REDIS_URL: '' } })).settings,
  ).toEqual({
    ...GOOD,
    STAGEPASS_PORT: 8_080,
    STAGEPASS_HOST: '127.0.0.1',
  })
})

it('reads numbers and JSON from texts, or directly from a file', async () => {
  const environment = { ...GOOD, STAGEPASS_METRICS_PORT: '9464', STAGEPASS_MEETINGS_WIRE: '{"items":"data"}' }
  const config = {
    STAGEPASS_METRICS_PORT: 1_234,
    STAGEPASS_MEETINGS_WIRE: { items: 'other' },
    STAGEPASS_HOST: '::1',
  }
  const path = file('stagepass.json', JSON.stringify(config))
  expect(
    (await readSettings({ environment, config: path, flags: { STAGEPASS_PORT: '1' } })).settings,
  ).toMatchObject({
    STAGEPASS_METRICS_PORT: 9_464,
    STAGEPASS_MEETINGS_WIRE: { items: 'data' },
    STAGEPASS_HOST: '::1',
    STAGEPASS_PORT: 1,
  })
})

it('reports all problems at once, each with a remedy, and no value', async () => {
  const problems = await problemsOf({
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
      "VOICE_BASE_URL is not an address of https: (http: only on this machine) without user, password, query and fragment. Use one such as https://app.example.com.",
      "VOICE_STREAMING_URL is not an address of wss: (ws: only on this machine) without user, password, query and fragment. Use one such as wss://app.example.com.",
      "STAGEPASS_ORIGIN is not an origin. Use what the browser's address bar shows, without a path: https://app.example.com. For pages of an application, such as capacitor://localhost, use createBff with allowedOrigins.",
      "STAGEPASS_PORT is not a whole number from 0 to 65535. Leave it out for 8080.",
      "STAGEPASS_USER_SECRET has fewer than 32 characters. Use the output of: openssl rand -base64 32.",
      "STAGEPASS_AUTHORIZE_URL is missing. Set it to the route of your server that says who is signed in, or check bearer tokens: STAGEPASS_JWKS_URL, STAGEPASS_JWT_ISSUER, STAGEPASS_JWT_AUDIENCE.",
      "VOICE_API_KEY is missing. Set it: the API key, as the developer portal shows it. VOICE_API_KEY_FILE names a file with it.",
      "STAGEPASS_USER_SECRET has no effect without STAGEPASS_REDIS_URL. Set STAGEPASS_REDIS_URL, or remove STAGEPASS_USER_SECRET.",
    ]
  `)
  expect(problems.join()).not.toContain('vk_secret')
})

it('objectives of STAGEPASS_VITALS need metrics', async () => {
  const problems = (more: object) => problemsOf({ ...GOOD, ...more })
  const STAGEPASS_VITALS = '{"firstText":{"p95Ms":800,"target":0.99}}'
  expect(await problems({ STAGEPASS_VITALS: '{}' })).toEqual([])
  expect(await problems({ STAGEPASS_VITALS, STAGEPASS_METRICS_PORT: '9464' })).toEqual([])
  expect(await problems({ STAGEPASS_VITALS })).toEqual([
    'STAGEPASS_VITALS has objectives, which are metrics. Set STAGEPASS_METRICS_PORT, or STAGEPASS_VITALS to {}.',
  ])
  expect(await problems({ STAGEPASS_VITALS: 'true' })).toEqual([
    expect.stringContaining('STAGEPASS_VITALS is not a JSON object. Use {}'),
  ])
})

it.each([
  ['STAGEPASS_AUTHORIZE_ULR', 'Did you mean STAGEPASS_AUTHORIZE_URL?'],
  ['STAGEPASS_ORGIN', 'Did you mean STAGEPASS_ORIGIN?'],
  ['STAGEPASS_COLOUR', 'Run stagepass-server --help'],
])('an unknown variable %s is refused', async (name, remedy) => {
  expect(await problemsOf({ ...GOOD, [name]: 'x' })).toEqual([expect.stringContaining(remedy)])
})

it('a variable that Kubernetes sets for a Service is explained', async () => {
  expect((await problemsOf({ ...GOOD, STAGEPASS_PORT: 'tcp://10.0.0.1:8080' }))[0]).toContain(
    'enableServiceLinks: false',
  )
})

describe('a company proxy', () => {
  const proxyOf = async (environment: Readonly<Record<string, string>>) =>
    (await readSettings({ environment: { ...GOOD, ...environment } })).proxy

  it('is that of the variables, the small letters first', async () => {
    const https_proxy = 'http://one.example:3128'
    const loopback = ',localhost,127.0.0.1,[::1]'
    expect(await proxyOf({})).toBeUndefined()
    expect(await proxyOf({ https_proxy, HTTPS_PROXY: 'http://two.example', NO_PROXY: '.example' })).toEqual({
      httpsProxy: https_proxy,
      noProxy: `.example${loopback}`,
    })
    expect(await proxyOf({ https_proxy: '', HTTP_PROXY: 'three.example:80' })).toEqual({
      httpsProxy: 'http://three.example:80',
      noProxy: loopback,
    })
    expect(await proxyOf({ https_proxy, no_proxy: '*' })).toBeUndefined()
  })

  it.each(['socks5://p_secret@one.example', 'http://p_secret:x:y'])(
    'that cannot be used is refused without its value: %s',
    async (HTTPS_PROXY) => {
      expect(await problemsOf({ ...GOOD, HTTPS_PROXY, STAGEPASS_PORT: 'x' })).toEqual([
        expect.stringContaining('STAGEPASS_PORT'),
        'HTTPS_PROXY is not the address of a proxy of http: or https:. Use one such as http://proxy.example.com:3128, or unset the variable.',
      ])
    },
  )
})

it('needs no key if your server gives one with each grant', async () => {
  expect(await problemsOf({ ...GOOD, VOICE_API_KEY: '' })).toEqual([])
})

it.each([
  [{ STAGEPASS_JWKS_URL: 'https://login.example/jwks' }, 'are both set'],
  [{ STAGEPASS_AUTHORIZE_URL: '' }, 'STAGEPASS_AUTHORIZE_URL is missing'],
  [
    { STAGEPASS_AUTHORIZE_URL: '', STAGEPASS_JWKS_URL: 'https://l.example/' },
    'STAGEPASS_JWKS_URL and STAGEPASS_JWT_ISSUER belong together',
  ],
  [{ STAGEPASS_JWT_AUDIENCE: 'x' }, 'STAGEPASS_JWKS_URL and STAGEPASS_JWT_AUDIENCE belong together'],
  [{ STAGEPASS_JWT_AUDIENCE_CLAIM: 'azp' }, 'no effect without STAGEPASS_JWKS_URL'],
  [{ STAGEPASS_USER_SECRET: 'x'.repeat(32) }, 'no effect without STAGEPASS_REDIS_URL'],
  [
    { VOICE_API_KEY: '', STAGEPASS_AUTHORIZE_URL: '', STAGEPASS_JWKS_URL: 'https://l.example/' },
    'VOICE_API_KEY is missing',
  ],
  [{ STAGEPASS_METRICS_PORT: '8080' }, 'need a different port'],
  [{ VOICE_API_KEY_FILE: '/etc/hostname' }, 'are both set'],
  [{ VOICE_API_KEY: '', VOICE_API_KEY_FILE: '/nowhere/vk' }, 'VOICE_API_KEY_FILE cannot be read (ENOENT)'],
  [{ VOICE_API_KEY: 'a key\n' }, 'Copy it again'],
  [
    { STAGEPASS_AUTHORIZE_URL: 'http://web:8000/grant' },
    'STAGEPASS_AUTHORIZE_URL is not an address of https:',
  ],
  [{ STAGEPASS_MEETINGS_WIRE: '[' }, 'is not a JSON object'],
  [{ STAGEPASS_SESSIONS: '50' }, 'Use {"max":50}'],
])('S50 refuses %j', async (wrong, problem) => {
  expect((await problemsOf({ ...GOOD, ...wrong })).join('\n')).toContain(problem)
})

it.each([
  ['{', 'is not a JSON object'],
  ['[]', 'is not a JSON object'],
  ['{"STAGEPASS_PROT": 1}', 'Did you mean STAGEPASS_PORT?'],
  ['{"STAGEPASS_PORT": "x"}', 'STAGEPASS_PORT is not a whole number'],
])('refuses the file %s', async (text, problem) => {
  expect((await problemsOf(GOOD, file('wrong.json', text))).join()).toContain(problem)
  expect((await problemsOf(GOOD, join(folder, 'nowhere.json'))).join()).toContain('cannot be read (ENOENT)')
})

it.each([
  ['a named pipe', (path: string) => execFileSync('mkfifo', [path]), 'is a pipe, a device or a folder.'],
  ['a folder', (path: string) => mkdirSync(path), 'is a pipe, a device or a folder.'],
  ['a long file', (path: string) => writeFileSync(path, 'x'.repeat(65_537)), 'has more than 64 KiB.'],
])('S50 refuses %s, and does not wait for it', async (what, make, problem) => {
  const path = join(folder, `not ${what}`)
  make(path)
  const { VOICE_API_KEY: _key, ...rest } = GOOD
  const problems = await problemsOf({ ...rest, VOICE_API_KEY_FILE: path }, path)
  expect(problems).toEqual([
    expect.stringContaining(`The file of --config ${problem}`),
    expect.stringContaining(`VOICE_API_KEY_FILE ${problem}`),
  ])
})

it('S50 takes a secret of 64 KiB, and one behind a link', async () => {
  const { VOICE_API_KEY: _key, ...rest } = GOOD
  const key = 'x'.repeat(65_536)
  const path = join(folder, 'link')
  symlinkSync(file('long', key), path)
  const { settings } = await readSettings({ environment: { ...rest, VOICE_API_KEY_FILE: path } })
  expect(settings.VOICE_API_KEY).toBe(key)
})

it('S50 reads secrets from files, without the line break at their end', async () => {
  const { VOICE_API_KEY: key, ...rest } = GOOD
  const path = file('key', `${key}\n`)
  expect(await readSettings({ environment: { ...rest, VOICE_API_KEY_FILE: path } })).toMatchObject({
    settings: { VOICE_API_KEY: key },
    files: { VOICE_API_KEY: path },
  })
})

describe('values as people have them', () => {
  it.each(['"', "'"])('quotation marks %s that docker --env-file keeps are removed', async (mark) => {
    const more = {
      STAGEPASS_PORT: '8081',
      STAGEPASS_MEETINGS_WIRE: '{"items":"data"}',
      STAGEPASS_REDIS_URL: 'redis://:p"a@localhost',
      STAGEPASS_USER_SECRET: 'x'.repeat(32),
    }
    const plain = { ...GOOD, ...more }
    const quoted = Object.fromEntries(
      Object.entries(plain).map(([name, value]) => [name, mark + value + mark]),
    )
    const { settings } = await readSettings({ environment: { ...quoted, VOICE_MEETINGS_TOKEN: mark + mark } })
    expect(settings).toEqual((await readSettings({ environment: plain })).settings)
  })

  it('a secret with half of its quotation marks is refused', async () => {
    for (const key of ['"vk_1', "vk_1'", '"'])
      expect(await problemsOf({ ...GOOD, VOICE_API_KEY: key })).toEqual([
        'VOICE_API_KEY begins or ends with a quotation mark. Write only the value, without quotation marks.',
      ])
  })

  it.each(['VOICE_API_KEY', 'VOICE_MEETINGS_TOKEN'])(
    '%s with the scheme of a header is refused',
    async (name) => {
      for (const key of ['Bearer vk_1', 'api-key vk_1'])
        expect(await problemsOf({ ...GOOD, [name]: key })).toEqual([
          `${name} begins with the scheme of a header ("Bearer", "api-key"). Write only what follows.`,
        ])
    },
  )

  it('an env file of Windows works, except for a secret with a CR', async () => {
    const windows = Object.fromEntries(Object.entries(GOOD).map(([name, value]) => [name, `${value}\r`]))
    expect(
      (await readSettings({ environment: { ...windows, VOICE_API_KEY: 'vk_1' } })).settings,
    ).toMatchObject(GOOD)
    expect(await problemsOf(windows)).toEqual([
      'VOICE_API_KEY contains a line break. Copy it again, and save an env file with the line ends of Unix (LF).',
    ])
    const redis = await problemsOf({ ...GOOD, STAGEPASS_REDIS_URL: 'redis://:vk_secret@localhost\r' })
    expect(redis).toEqual([expect.stringMatching(/^STAGEPASS_REDIS_URL contains a line break/)])
    expect(redis.join()).not.toContain('vk_secret')
  })

  it('a byte order mark is skipped: before a name, a value and in a file', async () => {
    const { VOICE_API_KEY: key, ...rest } = GOOD
    expect(
      (await readSettings({ environment: { ...rest, '\ufeffVOICE_API_KEY': key } })).settings,
    ).toMatchObject(GOOD)
    expect(
      (await readSettings({ environment: { ...rest, VOICE_API_KEY: `\ufeff${key}` } })).settings,
    ).toMatchObject(GOOD)
    const config = file('mark.json', `\ufeff${JSON.stringify({ STAGEPASS_PORT: 1_234 })}`)
    expect((await readSettings({ environment: GOOD, config })).settings.STAGEPASS_PORT).toBe(1_234)
  })

  const swapped = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
  it.each([
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffvk_1')],
    ['UTF-16, as PowerShell writes it', Buffer.from('\ufeffvk_1\r\n', 'utf16le')],
    ['UTF-16, big-endian', swapped('\ufeffvk_1')],
    ['LF at the end', Buffer.from('vk_1\n')],
    ['CR LF at the end', Buffer.from('vk_1\r\n')],
    ['empty lines at the end', Buffer.from('vk_1\n\r\n\n')],
    ['quotation marks', Buffer.from('"vk_1"\n')],
  ])('a secret file works with %s', async (what, bytes) => {
    const { VOICE_API_KEY: _key, ...rest } = GOOD
    const path = join(folder, `key ${what}`)
    writeFileSync(path, bytes)
    expect(
      (await readSettings({ environment: { ...rest, VOICE_API_KEY_FILE: path } })).settings.VOICE_API_KEY,
    ).toBe('vk_1')
  })

  it('a config file in UTF-16 works', async () => {
    const path = join(folder, 'utf16.json')
    writeFileSync(path, Buffer.from('\ufeff{"STAGEPASS_PORT":1234}', 'utf16le'))
    expect((await readSettings({ environment: GOOD, config: path })).settings.STAGEPASS_PORT).toBe(1_234)
  })

  it.each(['redis://:p/a#s%s@w?rd@localhost:6379/2', 'redis://:100%@localhost'])(
    '%s is taken',
    async (url) => {
      expect(await problemsOf({ ...GOOD, STAGEPASS_REDIS_URL: url })).toEqual([])
    },
  )

  it('a database with a name is refused with the name of the setting', async () => {
    expect(await problemsOf({ ...GOOD, STAGEPASS_REDIS_URL: 'redis://:vk_secret@localhost/cache' })).toEqual([
      'STAGEPASS_REDIS_URL has a database that is not a number. Redis numbers its databases: end the address with /0, or leave the number out.',
    ])
  })
})

it('has each setting in the help', async () => {
  let help = ''
  await runCli({ argv: ['--help'], environment: {}, write: (text) => (help += text), writeError: () => {} })
  const names = Object.keys(SettingsSchema.shape)
  expect(names).not.toEqual([])
  expect(names.filter((name) => !help.includes(name))).toEqual([])
})
