import { act, cleanup, render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, describe, expect, it } from 'vitest'
import { clientOf, createVoiceClient, type VoiceClient } from '../client/createVoiceClient.js'
import { VoiceProvider } from '../client/VoiceProvider.js'
import { mergeHeaders } from '../request/mergeHeaders.js'
import { useStream } from '../stream/useStream.js'
import { sourceOf } from '../token/sourceOf.test.kit.js'
import { tokenSource } from '../token/tokensOf.js'
import { createScriptedService } from '../virtual/createScriptedService.test.kit.js'
import { createVirtualPlatform } from '../virtual/createVirtualPlatform.test.kit.js'

afterEach(cleanup)

const DAY = { used_ms: 0, reserved_ms: 0, limit_ms: 3_600_000, resets_at: '2030-01-02T00:00:00.000Z' }

interface Report {
  readonly receipt: string | undefined
  readonly usedMs: number
  /** It came with the request for the next token. */
  readonly isReplaced: boolean
  readonly authorization: string | undefined
  readonly user: string | undefined
}

interface Body {
  readonly receipt?: string
  readonly used_ms?: number
}

/** A page with an open stream, in virtual time, and its reports of minutes. The login is `ada`. */
async function openPage() {
  const platform = createVirtualPlatform()
  const now = (): number => platform.now()
  const service = createScriptedService({
    platform,
    now,
    present: () => clientOf(client).identity,
    ttlMs: 600_000,
    usage: { stt: DAY },
  })
  const reports: Report[] = []
  const login = { token: 'ada', isRefused: false, isSlow: Promise.resolve() }
  const create = (headers: () => Promise<HeadersInit>): VoiceClient =>
    createVoiceClient({
      url: '/api/voice',
      platform,
      openSocket: service.openSocket,
      headers,
      fetch(input, init) {
        const { headers, body } = init ?? {}
        const { authorization, 'x-stagepass-user': user } = mergeHeaders(headers, {})
        const sent = JSON.parse(typeof body === 'string' ? body : '{}') as { replaces?: Body } & Body
        const { receipt, used_ms: usedMs } = sent.replaces ?? sent
        const isReplaced = sent.replaces !== undefined
        if (usedMs !== undefined) reports.push({ receipt, usedMs, isReplaced, authorization, user })
        if (login.isRefused) return Promise.resolve(new Response('', { status: 401 }))
        return service.fetch(input, init)
      },
    })
  const client = create(async () => {
    await login.isSlow
    return { authorization: login.token }
  })
  client.setUser('ada')
  function Status(): ReactNode {
    return useStream('stt').status
  }
  const tree = (given: VoiceClient): ReactNode => (
    <VoiceProvider client={given}>
      <Status />
    </VoiceProvider>
  )
  const page = render(tree(client))
  const pass = (ms: number): Promise<void> => act(() => platform.advance(ms))
  await pass(1_000)
  expect(page.container.textContent).toBe('open')
  return {
    client,
    platform,
    service,
    reports,
    login,
    pass,
    unmount: page.unmount,
    give: (given: VoiceClient) => page.rerender(tree(given)),
    next: create(() => Promise.resolve({ authorization: 'ben' })),
  }
}

type Page = Awaited<ReturnType<typeof openPage>>

/** The page's store has the next login before the client hears of it. */
const change = ({ login }: Page, act: () => void): void => {
  login.token = 'ben'
  act()
}

const ENDS: readonly (readonly [string, (page: Page) => void])[] = [
  ['a sign-out', (page) => change(page, () => page.client.setUser(null))],
  ['another user', (page) => change(page, () => page.client.setUser('ben'))],
  ['a reset', (page) => change(page, () => page.client.reset())],
  ['another client', ({ give, next }) => give(next)],
]

it.each(ENDS)(
  'the minutes of an open stream are reported at %s, with the headers from before',
  async (_, end) => {
    const page = await openPage()
    await page.pass(10_000)
    act(() => end(page))
    await page.pass(1_000)
    expect(page.reports).toMatchObject([{ user: 'ada', authorization: 'ada' }])
    expect(page.reports[0]?.usedMs).toBeGreaterThan(10_900)
    expect(page.reports[0]?.usedMs).toBeLessThanOrEqual(11_300)
  },
)

it('a report of a user who has left asks for no other headers when it is refused, and is not repeated', async () => {
  const page = await openPage()
  page.login.isRefused = true
  act(() => page.client.setUser(null))
  await page.pass(60_000)
  expect(page.reports).toHaveLength(1)
})

it('a report that waits for its headers while the user leaves gets none of the next user', async () => {
  const page = await openPage()
  let answer = (): void => {}
  page.login.isSlow = new Promise((resolve) => (answer = resolve))
  page.unmount()
  await page.pass(1_000)
  page.login.token = 'ben'
  page.client.setUser('ben')
  answer()
  await page.pass(1_000)
  expect(page.reports).toMatchObject([{ user: 'ada', authorization: 'ada' }])
})

describe('a token that replaces another one', () => {
  it('is requested with the report of the first, and counts its time from then on', async () => {
    const page = await openPage()
    await page.pass(10_000)
    void sourceOf(page.client, 'stt').renew()
    await page.pass(5_000)
    page.unmount()
    await page.pass(60_000)
    expect(page.reports).toMatchObject([
      { receipt: 'receipt of scripted-stt-1', isReplaced: true },
      { receipt: 'receipt of scripted-stt-2', isReplaced: false },
    ])
    const [first = NaN, second = NaN] = page.reports.map(({ usedMs }) => usedMs)
    expect(first).toBeGreaterThan(10_900)
    expect(first).toBeLessThanOrEqual(11_000)
    expect(second).toBeGreaterThan(4_900)
    expect(first + second).toBeLessThanOrEqual(16_300)
  })

  it('leaves the first unchanged if its request fails', async () => {
    const page = await openPage()
    page.service.failToken('UPSTREAM_TIMEOUT')
    await page.pass(4_000)
    sourceOf(page.client, 'stt')
      .renew()
      .catch(() => undefined)
    await page.pass(100)
    page.unmount()
    await page.pass(60_000)
    const [named, sent] = page.reports
    expect(page.reports).toHaveLength(2)
    expect([named?.receipt, named?.isReplaced]).toEqual([sent?.receipt, true])
    expect(sent?.isReplaced).toBe(false)
    expect(sent?.usedMs).toBeGreaterThanOrEqual((named?.usedMs ?? NaN) + 100)
  })

  it('is requested with the report of the last token until that report has a response', async () => {
    const page = await openPage()
    page.service.unreachable = true
    page.unmount()
    await page.pass(1_000)
    page.service.unreachable = false
    await Promise.all([sourceOf(page.client, 'stt').get(), page.platform.advance(100)])
    const [sent, named] = page.reports
    expect([sent?.isReplaced, named?.isReplaced]).toEqual([false, true])
    expect([named?.receipt, named?.usedMs]).toEqual([sent?.receipt, sent?.usedMs])
  })

  it('S45 is requested without the report of an earlier request', async () => {
    const page = await openPage()
    page.service.unreachable = true
    page.unmount()
    await page.pass(1_000)
    page.service.unreachable = false
    // The application gets the token, and may use it.
    const source = tokenSource(page.client, 'stt')
    await Promise.all([source.get(), page.platform.advance(100)])
    // The report is repeated, and the next request waits for 5 s.
    page.service.unreachable = true
    await page.pass(4_700)
    page.service.unreachable = false
    await Promise.all([source.renew(), page.platform.advance(1_000)])
    expect(page.reports.filter(({ isReplaced }) => isReplaced)).toHaveLength(1)
  })

  it('is requested without a report if that of the last token had a response', async () => {
    const page = await openPage()
    page.unmount()
    await page.pass(2_000)
    const before = page.service.tokensGranted
    await Promise.all([sourceOf(page.client, 'stt').get(), page.platform.advance(100)])
    expect([before, page.service.tokensGranted]).toEqual([1, 2])
    expect(page.reports).toMatchObject([{ isReplaced: false }])
  })
})
