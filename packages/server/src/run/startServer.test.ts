import { startRedis, startTcpProxy } from '@stagepass/testing'
import { freePort } from '@stagepass/testing/freePorts'
import { expect, it } from 'vitest'
import { runCli } from '../cli/runCli.js'

const GOOD = {
  VOICE_API_KEY: 'vk_1',
  VOICE_BASE_URL: 'https://api.example.com',
  VOICE_STREAMING_URL: 'wss://stream.example.com',
  STAGEPASS_ORIGIN: 'https://app.example.com',
  STAGEPASS_AUTHORIZE_URL: 'http://127.0.0.1:5000/grant',
  STAGEPASS_PORT: '0',
}

async function start(environment: Readonly<Record<string, string>>) {
  let text = ''
  const writeError = (more: string) => (text += more)
  const result = await runCli({ argv: [], environment, write: () => undefined, writeError })
  return { result, text }
}

it.each([
  [{ STAGEPASS_MEETINGS_WIRE: '{"items":5}' }, '"items" of STAGEPASS_MEETINGS_WIRE is not a path'],
  [{ STAGEPASS_MEETINGS_WIRE: '{"x":5}' }, 'STAGEPASS_MEETINGS_WIRE has an unknown key "x".'],
  [{ STAGEPASS_SESSIONS: '{"max":0}' }, '"max" of STAGEPASS_SESSIONS is not a whole number'],
  [{ STAGEPASS_SESSIONS: '{"most":5}' }, 'STAGEPASS_SESSIONS has an unknown key "most".'],
  [{ VOICE_STREAMING_URL: 'wss://a.example/stt' }, 'VOICE_STREAMING_URL ends in /stt.'],
])('a setting that only the BFF refuses is named: %j', async (wrong, problem) => {
  expect(await start({ ...GOOD, ...wrong })).toEqual({
    result: { exitCode: 2 },
    text: expect.stringContaining(`Failed to create the BFF: ${problem}`),
  })
})

it('an objective that only the metrics refuse is named', async () => {
  const port = await freePort()
  const metrics = { ...GOOD, STAGEPASS_METRICS_PORT: String(port) }
  const problemOf = async (vitals: object): Promise<string> =>
    (await start({ ...metrics, STAGEPASS_VITALS: JSON.stringify(vitals) })).text
  expect(await problemOf({ firstWord: {} })).toContain(
    'STAGEPASS_VITALS has no figure "firstWord". Use only:',
  )
  expect(await problemOf({ firstText: {} })).toContain('"firstText" of STAGEPASS_VITALS is not an objective.')
})

it('a start that fails leaves no connection to Redis', async () => {
  await using redis = await startRedis()
  await using proxy = await startTcpProxy(redis.socketPath)
  const admin = await redis.connect()
  const connected = async () => (await admin.clientList()).length
  const wrong = {
    ...GOOD,
    STAGEPASS_REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
    VOICE_STREAMING_URL: 'wss://a.example/stt',
  }
  expect((await start(wrong)).result).toEqual({ exitCode: 2 })
  await expect.poll(connected).toBe(1)
})
