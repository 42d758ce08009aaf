import { createEmulator, type Emulator, malformed } from '@stagepass/emulator'
import { runIn } from '@stagepass/testing/programs'
import { expect, it } from 'vitest'
import { ROOT } from '../docs/programs.js'

/* `npm run test:service`, on an emulator that it does not know from inside, as on a real service. */

const NO_SERVICE = {
  VOICE_API_KEY: '',
  VOICE_BASE_URL: '',
  VOICE_STREAMING_URL: '',
  VOICE_MEETINGS_URL: '',
  VOICE_MEETINGS_TOKEN: '',
  VOICE_MEETINGS_WIRE: '',
  VOICE_EXCEED_LIMITS: '',
}

const testService = (env: NodeJS.ProcessEnv): Promise<string> =>
  runIn(ROOT, 'npm', ['run', '--silent', 'test:service'], { env: { ...NO_SERVICE, ...env } })

const envOf = ({ apiKey, baseUrl, streamingUrl }: Emulator): NodeJS.ProcessEnv => ({
  VOICE_API_KEY: apiKey,
  VOICE_BASE_URL: `${baseUrl}/`,
  VOICE_STREAMING_URL: streamingUrl,
})

/** The reasons why something was not provable. */
const reasonsOf = (output: string): Set<string> =>
  new Set([...output.matchAll(/^ {2}- .+\n {6}(.+)$/gm)].map(([, reason = '']) => reason))

it('says what a narrow key cannot prove, and counts it as neither passed nor failed', async () => {
  const narrow = { key: 'narrow', state: 'productNotAllowed', products: ['vt'] } as const
  await using emulator = await createEmulator({ keys: [narrow] })
  const output = await testService({ ...envOf(emulator), VOICE_API_KEY: 'narrow' })
  expect(reasonsOf(output)).toEqual(
    new Set([
      'this key gets no token for vt: PRODUCT_NOT_ALLOWED',
      'it needs a key or an account in that state',
      'a token lives for at least five minutes, and no test waits for so long',
      'it uses up the sessions of the account. VOICE_EXCEED_LIMITS=yes permits it',
      'it needs VOICE_MEETINGS_TOKEN',
      'it needs a word that is only in a transcript',
      'it needs the ids of such meetings',
      'it needs the id of such a meeting',
    ]),
  )
  expect(output).toMatch(/\n\d\d passed, 0 failed\n$/)
})

it('proves with a full key all that a client can see', async () => {
  await using emulator = await createEmulator({ maxSessions: 3 })
  const output = await testService({
    ...envOf(emulator),
    VOICE_MEETINGS_URL: emulator.meetingsUrl,
    VOICE_MEETINGS_TOKEN: emulator.meetingsCredential,
    VOICE_EXCEED_LIMITS: 'yes',
  })
  expect([...reasonsOf(output)].filter((reason) => !reason.startsWith('it needs '))).toEqual([
    'a token lives for at least five minutes, and no test waits for so long',
  ])
  expect(output).toMatch(/\n\d\d passed, 0 failed\n$/)
})

it('fails for a service that breaks a promise, and without a service', async () => {
  await using emulator = await createEmulator()
  emulator.use(malformed('wrong-shape', { on: 'token' }))
  await expect(testService(envOf(emulator))).rejects.toThrow(/\n\d+ passed, [1-9]\d* failed\n/)
  await expect(testService({})).rejects.toThrow(/VOICE_API_KEY is not set[^]*\n0 passed, 1 failed\n/)
})
