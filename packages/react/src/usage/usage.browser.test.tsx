import { openBrowserStack } from '@stagepass/testing/browser'
import { cleanup } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { open } from '../stream/openPage.test.kit.js'

afterEach(cleanup)

async function openCounted() {
  const stack = await openBrowserStack()
  await stack.run((given) => {
    given.grant = { user: 'ada', usage: { minutesPerDay: 20 } }
  })
  const settled = () =>
    stack.run(({ events }) => events.flatMap((event) => (event.type === 'usage.settled' ? [event] : [])))
  const page = open(stack)
  await page.until('open')
  return { stack, page, settled, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() }
}

it('reports when its stream ends', async () => {
  const beganAt = performance.now()
  await using test = await openCounted()
  test.page.unmount()
  await vi.waitFor(async () => expect(await test.settled()).toMatchObject([{ by: 'report', user: 'ada' }]))
  const [settled] = await test.settled()
  expect(settled?.usedMs).toBeLessThan(performance.now() - beganAt)
})

it('reports when the page is left, with a request that continues afterwards', async () => {
  await using test = await openCounted()
  const sent = vi.spyOn(globalThis, 'fetch')
  try {
    // In the same task, because a page that is left has no other task.
    window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: false }))
    const call = sent.mock.calls.find(([address]) => address === `${test.stack.url}/usage`)
    expect(call?.[1]).toMatchObject({ method: 'POST', keepalive: true })
  } finally {
    sent.mockRestore()
  }
  await vi.waitFor(async () => expect(await test.settled()).toMatchObject([{ by: 'report', user: 'ada' }]))
})
