import { type BrowserStack, openBrowserStack } from '@stagepass/testing/browser'
import { cleanup } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { open } from './openPage.test.kit.js'

afterEach(() => {
  vi.unstubAllGlobals()
  cleanup()
})

/** Collects every error that the monitoring of a page would see. */
function watchErrors() {
  const seen: unknown[] = []
  const watch = (event: Event): void => {
    seen.push(
      event.type === 'error' ? (event as ErrorEvent).message : (event as PromiseRejectionEvent).reason,
    )
  }
  window.addEventListener('error', watch)
  window.addEventListener('unhandledrejection', watch)
  return {
    /** Returns the errors so far. */
    end() {
      window.removeEventListener('error', watch)
      window.removeEventListener('unhandledrejection', watch)
      return seen
    },
  }
}

/**
 * Opens a stream and waits until it has failed. Returns the errors of the page and the requests of the
 * service.
 */
async function failIn(stack: BrowserStack) {
  const errors = watchErrors()
  const page = open(stack)
  await page.until('failed')
  const service = await stack.run(({ upstream }) => ({
    origin: new URL(upstream.streamingUrl).origin,
    tokens: upstream.counts.token,
    handshakes: upstream.counts.handshake,
  }))
  return { error: page.stream.error, ...service, thrown: errors.end() }
}

// The token is not the reason, so it is not replaced, and the BFF does not check the handshake.
const FINAL = {
  error: { code: 'CONNECTION_REFUSED', retryable: false },
  tokens: 1,
  handshakes: 0,
  thrown: [],
}

const throwing = function WebSocket(): void {
  throw new Error('blocked by an extension')
}

it.each([
  { what: 'constructor that throws', WebSocket: throwing },
  { what: 'constructor that is not there', WebSocket: undefined },
])('S56 a WebSocket $what fails the stream, and throws nothing', async ({ WebSocket }) => {
  await using stack = await openBrowserStack()
  vi.stubGlobal('WebSocket', WebSocket)
  const seen = await failIn(stack)
  expect(seen).toMatchObject(FINAL)
  expect(seen.error?.message).toBe(
    'The browser blocks the connection. Turn its extensions off for this page, or try another browser.',
  )
  expect(seen.error?.hint).toContain(
    `The browser, or one of its extensions, blocked the connection to ${seen.origin}: `,
  )
  expect(seen.error?.hint).not.toMatch(/authorization|api-key/)
})

it('a handshake that ends with an error and no close is refused', async () => {
  await using stack = await openBrowserStack()
  class Silent extends EventTarget {
    readonly readyState = 3
    onerror: ((event: Event) => void) | null = null
    constructor() {
      super()
      queueMicrotask(() => this.onerror?.(new Event('error')))
    }
    close(): void {}
  }
  vi.stubGlobal('WebSocket', Silent)
  const page = open(stack)
  await vi.waitFor(() => expect(page.stream.failureReason?.code).toBe('CONNECTION_REFUSED'))
  page.unmount()
})

// The last test of the file, because a policy cannot be removed.
it('S56 a policy that forbids the connection fails the stream, names connect-src, and throws nothing', async () => {
  await using stack = await openBrowserStack()
  const policy = document.createElement('meta')
  policy.httpEquiv = 'Content-Security-Policy'
  policy.content = `connect-src 'self' http:`
  document.head.append(policy)
  const seen = await failIn(stack)
  expect(seen).toMatchObject(FINAL)
  expect(seen.error?.message).toBe(
    'This site blocks the connection. Ask the operator of this site to check it.',
  )
  expect(seen.error?.hint).toContain(
    `forbids connections to ${seen.origin}. Add ${seen.origin} to its connect-src.`,
  )
  expect(seen.error?.hint).not.toMatch(/authorization|api-key/)
})
