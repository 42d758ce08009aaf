import { fail } from '@stagepass/emulator'
import {
  createVoiceClient,
  useMeeting,
  useMeetings,
  useSessionToken,
  useStream,
  useTags,
  useUsage,
  VoiceProvider,
} from '@stagepass/react'
import { type Stack, startStack } from '@stagepass/testing'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, describe, expect, it } from 'vitest'
import { differencesOf, type Exchange, onlyRead, readRecord } from './readRecord.js'

/*
 * A page can be older than the BFF: it stays open while the server is updated. page-*.json has what the page
 * of a version sends and reads. The BFF of today must serve all of them. A change of the BFF that fails here
 * breaks pages that are open.
 *
 * The page of today proves the newest record: it sends these requests, and works with a response that has
 * only the recorded members. If the page is changed after a release, keep the record, and write one for the
 * next version.
 */

afterEach(cleanup)

const PAGE = 'https://page.example'
const record = readRecord('./page-0.1.json')

const meetings = [1, 2, 3].map((number) => ({
  id: `m${number}`,
  title: `Workshop ${number}`,
  started_at: `2026-03-0${number}T09:00:00.000Z`,
  duration: number * 60,
  source: 'zoom',
  tags: ['tag-a'],
}))

async function start(): Promise<Stack> {
  const stack = await startStack({
    emulator: { meetings: [...meetings, { id: 'in-work', processing: true }] },
    bff: { allowedOrigins: [PAGE], meetings: { cacheMs: 0 } },
  })
  stack.grant = { ...granted(stack), usage: { minutesPerDay: 10_000 } }
  return stack
}

const granted = ({ upstream }: Stack) => ({
  user: 'ada',
  meetings: { credential: upstream.meetingsCredential },
})

describe(`a page of ${record.version} and the BFF of today`, () => {
  /** Set-ups by the name in `given`. */
  const SET_UPS: Readonly<Record<string, (stack: Stack) => unknown>> = {
    'no session is left': ({ upstream }) => upstream.use(fail('concurrency_limit_exceeded')),
    'nobody is signed in': (stack) => (stack.grant = null),
    'another user is signed in': (stack) => (stack.grant = { ...granted(stack), user: 'bob' }),
    'only stt is granted': (stack) => (stack.grant = { user: 'ada', products: ['stt'] }),
    'no minute is left': (stack) => (stack.grant = { ...granted(stack), usage: { minutesPerDay: 1 } }),
    'the key has no license': ({ upstream }) => upstream.use(fail('AUTH_NO_LICENSE')),
    'the service is away': ({ upstream }) => upstream.close(),
    'the user has no request left': async (stack) => {
      await stack.remount({ limits: { tokensPerMinute: 1 } })
      await play(stack, record.exchanges[0] as Exchange, {})
    },
  }

  async function play(
    stack: Stack,
    { request, given }: Exchange,
    kept: Readonly<Record<string, unknown>>,
  ): Promise<{ status: number; body: unknown }> {
    if (given !== undefined) await SET_UPS[given]?.(stack)
    const values: Readonly<Record<string, unknown>> = { ...kept, used_ms: 1_000 }
    const { method, path, body } = request
    const response = await fetch(
      stack.url +
        path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name]))),
      {
        method,
        headers: { ...record.headers[method], origin: PAGE },
        ...(body && {
          body: JSON.stringify(body, (_, value: unknown) => {
            const name = /^\{(\w+)\}$/.exec(String(value))?.[1]
            return name === undefined ? value : values[name]
          }),
        }),
      },
    )
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE)
    return { status: response.status, body: await response.json() }
  }

  const verdictOf = (
    { name, response }: Exchange,
    { status, body }: { status: number; body: unknown },
  ): string[] => [
    ...(status === response.status ? [] : [`${name}: the status is ${status}, not ${response.status}`]),
    ...differencesOf(response.reads, body).map((difference) => `${name}: ${difference}`),
  ]

  it('the BFF answers what the page reads', async () => {
    await using stack = await start()
    const kept: Record<string, unknown> = {}
    const verdicts: string[] = []
    for (const exchange of record.exchanges) {
      const played = await play(stack, exchange, kept)
      verdicts.push(...verdictOf(exchange, played))
      for (const [name, member] of Object.entries(exchange.response.keeps ?? {}))
        kept[name] = Reflect.get(Object(played.body), member)
    }
    expect(verdicts).toEqual([])
  })

  it.each(record.refusals)('the BFF refuses as the page knows it: $name', async (exchange) => {
    await using stack = await start()
    expect(verdictOf(exchange, await play(stack, exchange, {}))).toEqual([])
  })

  it.each(Object.entries(record.headers))(
    'the BFF lets a page of another origin send its headers with %s',
    async (method, headers) => {
      await using stack = await start()
      const { ok, headers: allowed } = await fetch(`${stack.url}/tags`, {
        method: 'OPTIONS',
        headers: {
          origin: PAGE,
          'access-control-request-method': method,
          'access-control-request-headers': Object.keys(headers).join(','),
        },
      })
      expect(ok).toBe(true)
      const names = allowed.get('access-control-allow-headers')?.toLowerCase().split(/,\s*/)
      // A browser asks for no permission for `accept`.
      expect(names).toEqual(expect.arrayContaining(Object.keys(headers).filter((name) => name !== 'accept')))
    },
  )
})

describe('the page of today is the one of the newest record', () => {
  const FILTERS = {
    pageSize: 1,
    ownership: 'mine',
    sortBy: 'duration',
    order: 'oldest',
    search: 'workshop',
    from: new Date('2026-03-01T00:00:00.000Z'),
    to: '2026-03-31',
    tags: ['tag-a', 'tag-b'],
    fields: ['title', 'participants'],
  } as const

  function Tokens(): ReactNode {
    const tokens = [
      useSessionToken('tts', { ttlMinutes: 30 }),
      useSessionToken('viva'),
      useSessionToken('vt'),
    ]
    return tokens.map(({ status }) => status).join(' ')
  }

  function Meetings(): ReactNode {
    const all = useMeetings()
    const narrow = useMeetings(FILTERS)
    const one = useMeeting('m1', { fields: ['title', 'tags'] })
    const tags = useTags()
    return (
      <>
        <p>{`${all.meetings.length} of ${all.total}, ${narrow.meetings.length}, ${one.meeting?.title}, ${tags.tags?.length}`}</p>
        <button disabled={!narrow.hasNextPage} onClick={() => void narrow.fetchNextPage()}>
          More
        </button>
      </>
    )
  }

  function Stream(): ReactNode {
    const { status, failureReason } = useStream('stt')
    const { limitMs } = useUsage('stt')
    return `${status} ${failureReason?.code} ${limitMs}`
  }

  it('sends the recorded requests, and needs no other member of a response', async () => {
    await using stack = await start()
    stack.upstream.use(fail('concurrency_limit_exceeded'))
    const sent: unknown[] = []
    const headers = new Set<string>()
    const accepts = new Set<string>()

    /** The request, with names in braces for the values of responses. */
    function seen(path: string, { method = 'GET', body }: RequestInit): Exchange['request'] {
      const text = typeof body === 'string' ? body : undefined
      return {
        method,
        path: path.replace(/(?<=[?&]cursor=)[^&]+/, '{cursor}'),
        ...(text !== undefined && {
          body: JSON.parse(text, (member, value: unknown) =>
            member === 'session_key'
              ? '{token}'
              : member === 'receipt' || member === 'used_ms'
                ? `{${member}}`
                : value,
          ) as Record<string, unknown>,
        }),
      }
    }

    const voice = createVoiceClient({
      url: stack.url,
      sessionId: 'call-17',
      async fetch(input, init = {}) {
        const request = seen(new Request(input).url.slice(stack.url.length), init)
        sent.push(request)
        const { accept = '', ...others } = Object.fromEntries(new Headers(init.headers))
        accepts.add(accept)
        headers.add(JSON.stringify([request.method, { accept: 'application/json', ...others }]))
        const response = await fetch(input, init)
        const found = record.exchanges.find((one) => JSON.stringify(one.request) === JSON.stringify(request))
        if (!found) return response
        return Response.json(onlyRead(found.response.reads, await response.json()), {
          status: response.status,
        })
      },
    })
    const page = render(
      <QueryClientProvider client={new QueryClient()}>
        <VoiceProvider client={voice} user="ada">
          <Tokens />
          <Meetings />
          <Stream />
        </VoiceProvider>
      </QueryClientProvider>,
    )
    await screen.findByText(/success success success/)
    await screen.findByText('3 of 3, 1, Workshop 1, 1')
    fireEvent.click(screen.getByText('More'))
    await screen.findByText('3 of 3, 2, Workshop 1, 1')
    await screen.findByText(/concurrency_limit_exceeded 600000000/)
    const isSent = (part: string) => () => sent.some((request) => JSON.stringify(request).includes(part))
    await expect.poll(isSent('"replaces":{')).toBe(true)
    page.unmount()
    // Tokens that no stream has used are reported too.
    voice.reset()
    await expect.poll(isSent('"body":{"receipt":')).toBe(true)

    const unknown = sent.filter((request) => !record.exchanges.some((one) => same(one.request, request)))
    expect(unknown, 'The page sends what page-0.1.json does not have').toEqual([])
    const missing = record.exchanges.filter((one) => !sent.some((request) => same(one.request, request)))
    expect(missing, 'page-0.1.json has what the page does not send').toEqual([])
    expect(new Set([...headers].map((text) => JSON.parse(text) as unknown))).toEqual(
      new Set(Object.entries(record.headers)),
    )
    expect([...accepts].toSorted()).toEqual(record.accepts)
  })

  const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
})
