import { afterEach, expect, it } from 'vitest'
import { commands } from 'vitest/browser'

/** What a page of another origin sees of its microphone. */
interface Seen {
  readonly status: string
  readonly code?: string
  readonly message?: string
  readonly hint?: string
  readonly deniedBy?: string
}

/** A page that starts a microphone and sends what it sees to the page that opened it. */
const PAGE = `<script type="module">
  import { createMicrophone } from '${new URL('../index.ts', import.meta.url).href}'
  // The test runner wraps each import() of its own page, and this page is not one.
  globalThis.__vitest_browser_runner__ = { wrapDynamicImport: (load) => load() }
  const microphone = createMicrophone()
  await microphone.start()
  const { status, error } = microphone.state
  microphone.stop()
  const { code, message, hint, deniedBy } = error ?? {}
  const page = window.opener ?? window.parent
  page.postMessage({ status, code, message, hint, deniedBy }, '*')
</script>`

const opened: { remove(): void }[] = []

afterEach(() => {
  for (const one of opened.splice(0)) one.remove()
})

const seen = (): Promise<Seen> =>
  new Promise((resolve) =>
    window.addEventListener('message', function listen({ data }: MessageEvent<Seen>) {
      if (typeof data !== 'object' || !('status' in data)) return
      window.removeEventListener('message', listen)
      resolve(data)
    }),
  )

/** Opens the page in a frame of another origin. */
async function inFrame(allow: string, headers?: Record<string, string>): Promise<Seen> {
  const frame = document.createElement('iframe')
  opened.push(frame)
  frame.allow = allow
  frame.src = await commands.servePage(PAGE, headers)
  const result = seen()
  document.body.append(frame)
  return result
}

it('captures in a frame of another site with the attribute', async () => {
  expect(await inFrame('microphone')).toMatchObject({ status: 'capturing' })
})

it('says what the page around must write, if the frame has no attribute', async () => {
  const { message, hint, ...others } = await inFrame('')
  expect(others).toEqual({ status: 'failed', code: 'PERMISSION_DENIED', deniedBy: 'frame' })
  // Only Chromium tells a frame what it may do.
  expect(message).toMatch(/cannot be allowed here|Perhaps the page around/)
  expect(message).not.toContain('address bar')
  expect(hint).toContain('<iframe allow="microphone">')
  expect(hint).toContain(location.origin)
})

// In WebKitGTK, which does not know the header, nothing ever comes (docs/support.md).
it(
  'says which header the site must send, if its own page has no right to a microphone',
  { timeout: 60_000 },
  async () => {
    const url = await commands.servePage(PAGE, { 'permissions-policy': 'microphone=()' })
    const result = seen()
    const page = window.open(url)!
    opened.push({ remove: () => page.close() })
    const { message, hint, ...others } = await result
    expect(others).toEqual({ status: 'failed', code: 'PERMISSION_DENIED', deniedBy: 'header' })
    expect(message).toContain('cannot be allowed here')
    expect(hint).toContain('Permissions-Policy')
    expect(hint).toContain('microphone=(self)')
  },
)
