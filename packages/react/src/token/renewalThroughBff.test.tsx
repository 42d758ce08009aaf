import { act, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import { createVirtualPlatform } from '../virtual/createVirtualPlatform.test.kit.js'
import { useSessionToken } from './useSessionToken.js'

const SECOND = 1_000
const HOUR = 3_600 * SECOND

/** A component with a token of five minutes, a real BFF, and virtual time. */
async function setupRenewal(wallStart?: number) {
  const platform = createVirtualPlatform({ wallStart, random: () => 0.999 })
  let inFlight = 0
  const setup = await setupVoice({
    client: {
      platform,
      fetch: async (input, init) => {
        inFlight += 1
        try {
          return await fetch(input, init)
        } finally {
          inFlight -= 1
        }
      },
    },
  })
  const seen: { status: string; value: string | undefined }[] = []
  const { result, unmount } = setup.render(() => {
    const token = useSessionToken('stt', { ttlMinutes: 5 })
    seen.push({ status: token.status, value: token.token?.value })
    return token
  })
  await waitFor(() => expect(result.current.status).toBe('success'))
  /** Lets seconds pass, one by one, each with its responses. */
  async function pass(seconds: number): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      await act(() => platform.advance(SECOND))
      await waitFor(() => expect(inFlight).toBe(0), { interval: 1 })
      await act(() => platform.advance(0))
    }
  }
  const dispose = async (): Promise<void> => {
    await setup[Symbol.asyncDispose]()
  }
  return { setup, platform, result, unmount, seen, pass, [Symbol.asyncDispose]: dispose }
}

it.each([
  [-HOUR, 500, 'out of order'],
  [0, 500, 'out of order'],
  [HOUR, 500, 'out of order'],
  [0, 200, '<!doctype html><h1>A portal, or the fallback page of a deploy</h1>'],
  [0, 200, '{"session_key":"cut o'],
])(
  'renews in time, without a gap, on a page whose clock is wrong by %d ms while %d %s comes for 20 s',
  async (wrongBy, status, body) => {
    await using page = await setupRenewal(Date.now() + wrongBy)
    const first = page.result.current.token?.value
    await page.pass(255)
    expect(page.setup.asked).toHaveLength(1)

    const undo = page.setup.stack.intercept((_req, res) => void res.status(status).send(body))
    await page.pass(24)
    expect(page.result.current).toMatchObject({
      status: 'success',
      error: null,
      failureReason: { code: 'NOT_STAGEPASS' },
    })
    expect(page.result.current.token?.value).toBe(first)
    undo()
    await page.pass(20)

    expect(page.result.current).toMatchObject({ status: 'success', failureReason: null })
    expect(page.result.current.token?.value).not.toBe(first)
    const afterStart = page.seen.slice(page.seen.findIndex(({ status }) => status === 'success'))
    expect(afterStart.filter(({ status, value }) => status !== 'success' || !value)).toEqual([])
  },
)

it('has another token after a sleep of two hours, and never shows the old one', async () => {
  await using page = await setupRenewal()
  const first = page.result.current.token
  page.platform.sleep(2 * HOUR)
  act(() => page.platform.wake('visible'))
  await page.pass(1)
  expect(page.result.current.status).toBe('success')
  expect(page.result.current.token).not.toBe(first)
  expect(first?.value).toBe('')
  expect(page.setup.asked).toHaveLength(2)
})

it('stops with the last component', async () => {
  await using page = await setupRenewal()
  page.unmount()
  await page.platform.advance(2 * HOUR)
  expect(page.setup.asked).toHaveLength(1)
  expect(page.platform.timers).toBe(0)
})
