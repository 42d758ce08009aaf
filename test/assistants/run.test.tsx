import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createEmulator, type Emulator } from '@stagepass/emulator'
import { createVoiceClient, useStream, VoiceProvider } from '@stagepass/react'
import { createTestVoice, type TestVoice } from '@stagepass/react/testing'
import { startRedis, startStack, startTcpProxy } from '@stagepass/testing'
import { freePort } from '@stagepass/testing/freePorts'
import { runIn, startIn } from '@stagepass/testing/programs'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import type { ComponentType, ReactNode } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { programsOf, ROOT, writePrograms } from '../docs/programs.js'

/* Runs the programs of the skills unchanged. test/docs/code.test.ts compiles them all. */

/** Writes the programs of a skill into a folder. `others`: files that replace the skill's. */
function write(skill: string, others: Readonly<Record<string, string>> = {}): string {
  const programs = programsOf(`packages/${skill}/SKILL.md`)
  const names = programs.map(({ file }) => file.split('/')[1])
  expect(names).toEqual(expect.arrayContaining(Object.keys(others)))
  const below = dirname(programs[0]?.file ?? '')
  const folder = `${ROOT}.cache/skills/${below}/`
  rmSync(folder, { recursive: true, force: true })
  writePrograms(`${ROOT}.cache/skills/`, programs)
  for (const [name, text] of Object.entries(others)) writeFileSync(folder + name, text)
  return folder
}

const TSX = ['--import', 'tsx', '--conditions=@stagepass/source']

const envOf = ({ apiKey, baseUrl, streamingUrl }: Emulator): NodeJS.ProcessEnv => ({
  VOICE_API_KEY: apiKey,
  VOICE_BASE_URL: baseUrl,
  VOICE_STREAMING_URL: streamingUrl,
})

/** Starts `server.ts` of a skill. `mint` requests a token from it. */
async function startServer(
  skill: string,
  env: NodeJS.ProcessEnv,
  others: Readonly<Record<string, string>> = {},
) {
  const port = await freePort()
  const program = startIn(write(skill, others), process.execPath, [...TSX, 'server.ts'], {
    env: { ...env, PORT: String(port) },
  })
  await program.printed(String(port))
  return {
    mint: async (product: string) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/voice/session-token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-stagepass': '1' },
        body: JSON.stringify({ usage_type: product }),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
    [Symbol.asyncDispose]: () => program.stop(),
  }
}

it('mount-bff: the Express server gives a token, and only for the product of the grant', async () => {
  await using emulator = await createEmulator()
  await using server = await startServer('bff/skills/mount-bff', envOf(emulator))
  const { status, body } = await server.mint('stt')
  expect(status).toBe(200)
  expect(emulator.tokens.get(body.session_key as string)).toMatchObject({ product: 'stt' })
  expect(await server.mint('tts')).toMatchObject({ status: 403, body: { error_code: 'FORBIDDEN' } })
})

it('mount-bff: the route of Next.js gives a token', async () => {
  await using emulator = await createEmulator()
  const folder = write('bff/skills/mount-bff')
  const ask = `import { POST } from './route.js'
    const headers = { 'content-type': 'application/json', 'x-stagepass': '1' }
    const body = JSON.stringify({ usage_type: 'stt' })
    const response = await POST(new Request('http://localhost/api/voice/session-token', { method: 'POST', headers, body }))
    console.log(response.status, (await response.json()).usage_type)
    process.exit()`
  writeFileSync(`${folder}ask.ts`, ask)
  expect(await runIn(folder, process.execPath, [...TSX, 'ask.ts'], { env: envOf(emulator) })).toBe(
    '200 stt\n',
  )
})

it('go-to-production: a new key in the file needs no restart, and Redis counts the minutes', async () => {
  await using emulator = await createEmulator()
  await using redis = await startRedis()
  await using proxy = await startTcpProxy(redis.socketPath)
  const keyFile = `${ROOT}.cache/skills/key`
  mkdirSync(dirname(keyFile), { recursive: true })
  writeFileSync(keyFile, emulator.keys.expired)
  const env = {
    ...envOf(emulator),
    VOICE_API_KEY_FILE: keyFile,
    VOICE_USER_SECRET: 'x'.repeat(32),
    REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
  }
  await using withoutLogin = await startServer('bff/skills/go-to-production', env)
  expect(await withoutLogin.mint('stt')).toMatchObject({ status: 401 })
  await using server = await startServer('bff/skills/go-to-production', env, {
    'login.ts': "export const currentUser = async () => ({ id: 'ada' })",
  })
  expect(await server.mint('stt')).toMatchObject({
    status: 502,
    body: { error_code: 'AUTH_API_KEY_EXPIRED' },
  })
  writeFileSync(keyFile, `${emulator.apiKey}\n`)
  expect(await server.mint('stt')).toMatchObject({ status: 200, body: { usage_receipt: expect.any(String) } })
})

/** Imports a page of a skill, with another voice client. */
async function importPage<TName extends string>(skill: string, name: TName, voice: string) {
  const folder = write(skill, { 'voice.ts': voice })
  const { test } = (await import(/* @vite-ignore */ `${folder}voice.ts`)) as { test: TestVoice }
  const page = (await import(/* @vite-ignore */ `${folder}${name}.tsx`)) as {
    [Name in TName]: ComponentType<{ user?: string | null }>
  }
  return { Page: page[name], test }
}

const TEST_VOICE = `import { createTestVoice } from '@stagepass/react/testing'
export const test = createTestVoice()
export const voice = test.client`

it('add-captions: sound in, lines out', async () => {
  const { Page, test } = await importPage('react/skills/add-captions', 'App', TEST_VOICE)
  using voice = test
  const { emulator } = voice
  render(<Page user="ada" />)
  expect(emulator.sockets).toEqual([])
  fireEvent.click(screen.getByText('Speak'))
  await waitFor(() => expect(emulator.frames.length).toBeGreaterThan(0))
  act(() => emulator.sockets[0]?.send('{"text":"Good morning","final":true}'))
  await screen.findByText('Good morning')
  fireEvent.click(screen.getByText('Speak'))
  expect(screen.queryByRole('alert')).toBeNull()
})

it('read-aloud: a press reads the text, and marks the word that is heard', async () => {
  const { ReadAloud } = (await import(
    /* @vite-ignore */ `${write('react/skills/read-aloud')}ReadAloud.tsx`
  )) as {
    ReadAloud: ComponentType<{ text: string }>
  }
  using voice = createTestVoice()
  render(
    <VoiceProvider client={voice.client}>
      <ReadAloud text="Good morning. Here is the news." />
    </VoiceProvider>,
  )
  expect(voice.emulator.sockets).toEqual([])
  fireEvent.click(screen.getByText('Read aloud'))
  await waitFor(() => expect(document.querySelector('mark')?.textContent).toBe('Good'))
  expect(voice.emulator.frames).toHaveLength(1)
  fireEvent.click(screen.getByText('Stop'))
  await waitFor(() => expect(voice.emulator.sockets).toEqual([]))
  expect(screen.getByRole('alert').textContent).toBe('')
})

it('translate-speech: what is said is shown in both languages', async () => {
  const folder = write('react/skills/translate-speech')
  const { BothLanguages } = (await import(/* @vite-ignore */ `${folder}BothLanguages.tsx`)) as {
    BothLanguages: ComponentType
  }
  using voice = createTestVoice()
  render(
    <VoiceProvider client={voice.client}>
      <BothLanguages />
    </VoiceProvider>,
  )
  fireEvent.click(screen.getByText('Interpret'))
  await waitFor(() => expect(voice.emulator.sockets.length).toBe(1))
  const texts = { final: true, utterance_id: 'u1' }
  act(() => {
    for (const frame of [
      { type: 'ready' },
      { transcript: { ...texts, text: 'Good morning' } },
      { translate: { ...texts, text: 'Guten Morgen' } },
    ])
      voice.emulator.sockets[0]?.send(JSON.stringify(frame))
  })
  await screen.findByText('Guten Morgen')
  screen.getByText('Good morning')
  fireEvent.click(screen.getByText('Stop'))
  await screen.findByText('Interpret')
})

it('clean-call: the call gets the track of the cleaned voice, and nothing is heard here', async () => {
  const folder = write('react/skills/clean-call')
  const { CleanCall } = (await import(/* @vite-ignore */ `${folder}CleanCall.tsx`)) as {
    CleanCall: ComponentType<{ sender: Pick<RTCRtpSender, 'replaceTrack'> }>
  }
  using voice = createTestVoice()
  const sent: (MediaStreamTrack | null)[] = []
  render(
    <VoiceProvider client={voice.client}>
      <CleanCall sender={{ replaceTrack: async (track) => void sent.push(track) }} />
    </VoiceProvider>,
  )
  expect(sent).toEqual([])
  fireEvent.click(screen.getByText('Speak'))
  await screen.findByText('You are heard, without the noise.')
  expect(sent.map((track) => [track?.kind, track?.readyState])).toEqual([['audio', 'live']])
  expect(voice.emulator.sockets.map(({ product }) => product)).toEqual(['viva'])
  fireEvent.click(screen.getByText('Mute'))
  await screen.findByText('You are not heard.')
  await waitFor(() => expect(voice.emulator.sockets).toEqual([]))
})

it('list-meetings: the list is shown, and a search is sent when the typing ends', async () => {
  await using stack = await startStack({
    emulator: {
      meetings: [
        { id: 'm1', title: 'Roadmap' },
        { id: 'm2', title: 'Plan', duration: 1_800 },
      ],
    },
  })
  const { Meetings } = (await import(
    /* @vite-ignore */ `${write('react/skills/list-meetings')}Meetings.tsx`
  )) as { Meetings: ComponentType }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <VoiceProvider client={createVoiceClient({ url: stack.url })}>
        <Meetings />
      </VoiceProvider>
    </QueryClientProvider>,
  )
  const titles = (): string[] =>
    screen.queryAllByRole('listitem').map((item) => item.textContent.split(' ')[0]!)
  await waitFor(() => expect(titles().toSorted()).toEqual(['Plan', 'Roadmap']))
  for (const value of ['p', 'pl', 'plan'])
    fireEvent.change(screen.getByRole('searchbox'), { target: { value } })
  await waitFor(() => expect(titles()).toEqual(['Plan']))
  expect(stack.upstream.counts.list).toBe(2)
  fireEvent.click(screen.getByText('Plan'))
  await screen.findByText('30 min')
})

it('sign-in: a sign-out closes the stream, and leaves no data', async () => {
  let user: string | null = 'ada'
  vi.stubGlobal('SignIn', () => <p>Sign in</p>)
  vi.stubGlobal('Dictation', (): ReactNode => useStream('stt').status)
  // The application's own routes.
  vi.stubGlobal('fetch', async (path: string) => {
    if (path === '/logout') user = null
    return Response.json({ user })
  })
  const { Page, test } = await importPage('react/skills/sign-in', 'Root', TEST_VOICE)
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Page />
    </QueryClientProvider>,
  )
  using voice = test
  const button = await screen.findByText('Sign out')
  await screen.findByText('open')
  fireEvent.click(button)
  await screen.findByText('Sign in')
  await waitFor(() => expect(voice.emulator.sockets).toEqual([]))
})

describe('test-components', async () => {
  // It registers its tests here.
  await import(/* @vite-ignore */ `${write('react/skills/test-components')}Dictation.test.tsx`)
})
