import type { MeetingsOptions, StreamQuery } from '@stagepass/bff'
import { createVoiceClient, useMeeting, useMeetings, VoiceProvider } from '@stagepass/react'
import { startStack } from '@stagepass/testing'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, it } from 'vitest'
import { programsOf, ROOT, writePrograms } from '../docs/programs.js'

/* The service of docs/other-services.md. */

const FOLDER = `${ROOT}.cache/otherService/`
const PAGE = 'docs/other-services.md'

const programs = programsOf(PAGE)
writePrograms(FOLDER, programs)

async function load<TModule>(name: string): Promise<TModule> {
  const program = programs.find(({ file }) => file.endsWith(`/${name}`))
  return (await import(/* @vite-ignore */ FOLDER + String(program?.file))) as TModule
}

const { meetings } = await load<{ meetings: MeetingsOptions }>('notes.ts')
const { streamQuery } = await load<{ streamQuery: StreamQuery }>('query.ts')

afterEach(cleanup)

const ids = Array.from({ length: 40 }, (_, index) => `n${String(40 - index).padStart(2, '0')}`)

const startNotes = () =>
  startStack({
    emulator: {
      wire: meetings.wire,
      meetings: ids.map((id, index) => ({
        id,
        title: `Note ${id}`,
        started_at: `2026-01-01T00:${String(59 - index)}:00.000Z`,
      })),
    },
    bff: { meetings: { ...meetings, baseUrl: undefined } },
  })

it('the hooks read its pages, its details and the end of its list', async () => {
  await using stack = await startNotes()
  const voice = createVoiceClient({ url: stack.url })
  const queries = new QueryClient()
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>
      <VoiceProvider client={voice}>{children}</VoiceProvider>
    </QueryClientProvider>
  )
  const { result, rerender } = renderHook(
    ({ id }: { readonly id?: string }) => ({
      list: useMeetings({ pageSize: 100, fields: ['title'] }),
      one: useMeeting(id, { fields: ['title', 'duration'] }),
    }),
    { wrapper, initialProps: {} },
  )
  await waitFor(() => expect(result.current.list.status).toBe('success'))
  expect(result.current.list.meetings.map(({ id }) => id)).toEqual(ids.slice(0, 30))
  expect(Object.keys(result.current.list.meetings[0] ?? {}).toSorted()).toEqual(['id', 'title'])
  expect(result.current.list.hasNextPage).toBe(true)
  await result.current.list.fetchNextPage()
  await waitFor(() => expect(result.current.list.meetings).toHaveLength(40))
  // The last page has a cursor too.
  expect(result.current.list.hasNextPage).toBe(false)
  const lists = stack.upstream.requests.map(({ path, query }) => ({ path, query }))
  expect(lists).toEqual([
    { path: '/notes', query: { page_size: '30' } },
    { path: '/notes', query: { page_size: '30', cursor: expect.any(String) } },
  ])

  rerender({ id: 'n07' })
  await waitFor(() => expect(result.current.one.meeting?.title).toBe('Note n07'))
  await waitFor(() => expect(stack.upstream.requests.at(-1)).toMatchObject({ path: '/notes/n07', query: {} }))
  voice.reset()
})

it('server code reads its pages, its details and its end too, and without "fields" all that is there and granted', async () => {
  await using stack = await startNotes()
  const credential = stack.upstream.meetingsCredential
  const ada = stack.bff.as({ user: 'ada', meetings: { credential, fields: ['title', 'source'] } })
  const page = await ada.meetings({ pageSize: 2, from: '2026-01-01' })
  expect(page.meetings.map((row) => Object.keys(row).toSorted())).toEqual([
    ['id', 'source', 'title'],
    ['id', 'source', 'title'],
  ])
  expect(stack.upstream.requests.at(-1)?.query).toEqual({ page_size: '2', created_after: '2026-01-01' })
  const all: string[] = []
  for await (const { id } of ada.allMeetings({ pageSize: 100 })) all.push(id)
  expect(all).toEqual(ids)
  expect(stack.upstream.requests.at(-1)?.query).toEqual({ page_size: '30', cursor: expect.any(String) })
  expect(Object.keys(await ada.meeting('n07')).toSorted()).toEqual(['id', 'source', 'title'])
  expect(await ada.meeting('n07', { fields: ['title'] })).toEqual({ id: 'n07', title: 'Note n07' })
  expect(stack.upstream.requests.at(-1)).toMatchObject({ path: '/notes/n07', query: {} })
})

it('the emulator of it refuses a larger page', async () => {
  await using stack = await startNotes()
  const headers = { authorization: `Bearer ${stack.upstream.meetingsCredential}` }
  const statusOf = async (size: number): Promise<number> =>
    (await fetch(`${stack.upstream.meetingsUrl}/notes?page_size=${size}`, { headers })).status
  expect([await statusOf(30), await statusOf(31)]).toEqual([200, 400])
})

it('the parameters of a stream are in its address, with the token behind them', async () => {
  await using stack = await startStack({ bff: { streamQuery } })
  stack.grant = { user: 'ada', streamQuery: { stt: { language: 'pt br', domain: 'a&b' } } }
  const voice = createVoiceClient({ url: stack.url })
  const { authorizedUrl, tokenSource } = await import('@stagepass/react')
  const { token, streamUrl } = await tokenSource(voice, 'stt').get()
  expect(streamUrl).toBe(
    `${stack.upstream.streamingUrl}/stt?language=pt%20br&interim_results=true&domain=a%26b`,
  )
  const socket = new WebSocket(authorizedUrl(streamUrl, token))
  await expect.poll(() => socket.readyState).toBe(WebSocket.OPEN)
  expect(stack.upstream.requests.at(-1)?.query).toEqual({
    language: 'pt br',
    interim_results: 'true',
    domain: 'a&b',
    authorization: expect.stringMatching(/^api-key st_/),
  })
  socket.close()
  const checked = await stack.fetch('/handshake-check', {
    json: { usage_type: 'stt', session_key: token.value },
  })
  expect(await checked.json()).toEqual({ ok: true })
  expect(stack.upstream.requests.at(-1)?.query).toEqual({
    language: 'pt br',
    interim_results: 'true',
    domain: 'a&b',
  })
  voice.reset()
})
