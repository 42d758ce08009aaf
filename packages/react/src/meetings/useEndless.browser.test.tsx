import { fail } from '@stagepass/emulator/browser'
import { notifyManager, QueryClient } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import { useEffect } from 'react'
import { afterEach, expect, it } from 'vitest'
import { createVoiceClient, type VoiceClient } from '../client/createVoiceClient.js'
import { createTestVoice, type TestVoice } from '../testing/createTestVoice.js'
import { useEndless } from './useEndless.js'
import { type UseMeetingsResult, useMeetings } from './useMeetings.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(cleanup)

/** The browser reports an element in view two frames later. */
async function observed(): Promise<void> {
  for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame)
}

interface Last {
  list?: UseMeetingsResult<unknown>
  loadMore?: () => void
}

function setUp({ pageSize = 10 } = {}) {
  const voice = createTestVoice({
    meetings: Array.from({ length: pageSize * 6 }, (_, index) => ({ id: `m${index}` })),
  })
  return { voice, ...show(voice.client, pageSize) }
}

/** A view of 100 px with rows of that height. */
function show(client: VoiceClient, pageSize = 10) {
  const last: Last = {}
  function List() {
    const list = useMeetings({ pageSize })
    const { endRef, loadMore } = useEndless(list)
    useEffect(() => {
      Object.assign(last, { list, loadMore })
    }, [list, loadMore])
    return (
      <div style={{ height: '100px', overflow: 'auto' }}>
        {list.meetings.map(({ id }) => (
          <p key={id} style={{ height: '100px', margin: 0 }} />
        ))}
        <div ref={endRef} style={{ height: '1px' }} />
      </div>
    )
  }
  const { container } = render(<List />, { wrapper: pageOf(client, new QueryClient()) })
  const toEnd = async (): Promise<void> => {
    const view = container.querySelector('div')
    view?.scrollTo({ top: view.scrollHeight })
    await observed()
  }
  return { toEnd, last, rows: () => last.list?.meetings.length }
}

const requests = ({ emulator }: TestVoice): number => emulator.requests.length

it('loads the next page when the end comes into view, and no other', async () => {
  const { voice, toEnd, rows } = setUp()
  using _ = voice
  await expect.poll(rows).toBe(10)
  await observed()
  expect(requests(voice)).toBe(1)
  await toEnd()
  await expect.poll(rows).toBe(20)
  await toEnd()
  await expect.poll(rows).toBe(30)
  expect(requests(voice)).toBe(3)
})

it('stops with 100 rows, and continues with loadMore', async () => {
  const { voice, toEnd, last, rows } = setUp({ pageSize: 50 })
  using _ = voice
  await expect.poll(rows).toBe(50)
  await toEnd()
  await expect.poll(rows).toBe(100)
  await toEnd()
  expect(requests(voice)).toBe(2)
  last.loadMore?.()
  await expect.poll(rows).toBe(150)
})

it('sends nothing again after a failure', async () => {
  const { voice, toEnd, last, rows } = setUp()
  using _ = voice
  await expect.poll(rows).toBe(10)
  voice.emulator.use(fail('SCOPE_MISSING', { times: 1 }))
  await toEnd()
  await expect.poll(() => last.list?.status).toBe('error')
  await toEnd()
  expect([requests(voice), rows()]).toEqual([2, 10])
  last.loadMore?.()
  await expect.poll(rows).toBe(20)
})

/** A service whose pages the test makes: of the page with this number, from 0. */
function setUpService(
  pageOf: (number: number) => { readonly rows: readonly string[]; readonly next: number },
) {
  let requests = 0
  const client = createVoiceClient({
    url: '/api',
    fetch: (input) => {
      requests += 1
      const cursor = new URL(new Request(input).url).searchParams.get('cursor')
      const { rows, next } = pageOf(Number(cursor ?? 0))
      return Promise.resolve(
        Response.json({ meetings: rows.map((id) => ({ id })), next_cursor: String(next) }),
      )
    },
  })
  return { ...show(client), requests: () => requests }
}

it('ends when a cursor comes again', async () => {
  const { toEnd, last, rows, requests } = setUpService((number) => ({
    rows: [`m${number}`],
    next: (number + 1) % 3,
  }))
  const seen = async (): Promise<readonly unknown[]> => {
    await toEnd()
    return [rows(), last.list?.hasNextPage]
  }
  await expect.poll(seen).toEqual([3, false])
  expect(last.list?.isFetching).toBe(false)
  // The first page is also that of the cursor 0.
  expect([rows(), requests()]).toEqual([3, 4])
})

it.each([
  ['the same row', ['m0']],
  ['nothing', []],
])(
  'stops after three pages that bring %s, and a press continues until there is a new row',
  async (_, rest) => {
    const { toEnd, last, rows, requests } = setUpService((number) => ({
      rows: number === 0 ? ['m0'] : number === 5 || number >= 10 ? [`m${number}`] : rest,
      next: number + 1,
    }))
    await expect.poll(rows).toBe(1)
    const settled = async (): Promise<readonly unknown[]> => {
      await toEnd()
      await expect.poll(() => last.list?.isFetching).toBe(false)
      await toEnd()
      return [rows(), requests(), last.list?.hasNextPage, last.list?.status]
    }
    await expect.poll(() => toEnd().then(requests)).toBe(4)
    expect(await settled()).toEqual([1, 4, true, 'success'])
    last.loadMore?.()
    await expect.poll(() => toEnd().then(requests)).toBe(5)
    expect(await settled()).toEqual([1, 5, true, 'success'])
    last.loadMore?.()
    // The new row lets it load three more.
    await expect.poll(() => toEnd().then(requests)).toBe(9)
    expect(await settled()).toEqual([2, 9, true, 'success'])
  },
)

it('loads on if a page comes before React has rendered that it is requested', async () => {
  // Every page is loaded before TanStack Query tells React of a change.
  notifyManager.setScheduler((tell) => void observed().then(tell))
  using _ = { [Symbol.dispose]: () => notifyManager.setScheduler((tell) => setTimeout(tell, 0)) }
  const { toEnd, rows, requests } = setUpService((number) => ({
    rows: number === 0 || number === 3 ? [`m${number}`] : [],
    next: Math.min(number + 1, 3),
  }))
  await expect.poll(() => toEnd().then(rows)).toBe(2)
  expect(requests()).toBe(4)
})
