import type { RefusalForm } from '@stagepass/emulator'
import { openBrowserStack } from '@stagepass/testing/browser'
import { describe, it, vi } from 'vitest'
import { open } from './openPage.test.kit.js'

/** A cause, the forms in which it looks like another one, and the end of the stream. */
interface Row {
  readonly cause: string | number
  readonly code: string
  readonly end: 'failed' | 'open'
  readonly status?: number
}

const NAMES: readonly Row[] = [
  { cause: 'missing_authorization_header', code: 'missing_authorization_header', end: 'failed' },
  { cause: 'invalid_api_key', code: 'invalid_api_key', end: 'failed' },
  { cause: 'unauthorized', code: 'unauthorized', end: 'failed' },
  { cause: 'concurrency_limit_exceeded', code: 'concurrency_limit_exceeded', end: 'open' },
]
const NUMBERS: readonly Row[] = [
  { cause: 400, status: 400, code: 'STREAM_ERROR', end: 'failed' },
  { cause: 401, status: 401, code: 'unauthorized', end: 'failed' },
  { cause: 402, status: 402, code: 'STREAM_ERROR', end: 'failed' },
  { cause: 403, status: 403, code: 'unauthorized', end: 'failed' },
  { cause: 429, status: 429, code: 'concurrency_limit_exceeded', end: 'open' },
  { cause: 500, status: 500, code: 'STREAM_ERROR', end: 'open' },
  { cause: 503, status: 503, code: 'STREAM_ERROR', end: 'open' },
]

const NAMED: readonly RefusalForm[] = ['nested', 'nested-name', 'flat-name']
const NUMBERED: readonly RefusalForm[] = ['nested-number', 'flat-number']

// A browser does not see a status or its body. All their forms are tested at the BFF's `/handshake-check`,
// which reads them.
const FORMS = [
  { refuseBy: 'status', forms: [undefined], rows: [...NAMES, ...NUMBERS] },
  { refuseBy: 'frame', forms: NAMED, rows: NAMES },
  { refuseBy: 'frame', forms: NUMBERED, rows: NUMBERS },
  { refuseBy: 'close', forms: NAMED, rows: NAMES },
  { refuseBy: 'close', forms: NUMBERED, rows: NUMBERS },
] as const

const TABLE = FORMS.flatMap(({ refuseBy, forms, rows }) =>
  rows.map((row) => ({ ...row, refuseBy, forms: [...forms] })),
)

// Concurrent, because a row mostly waits for the next handshake. Each row has its own service.
describe.concurrent('a refusal', () => {
  it.for(TABLE)(
    'by $refuseBy with $cause is $code, and the stream is $end in the end',
    { timeout: 60_000 },
    async ({ refuseBy, forms, cause, code, status, end }, { expect }) => {
      const error = { code, retryable: end === 'open', ...(status && { status }) }
      const handshakes = end === 'failed' ? 3 : 6
      await using stack = await openBrowserStack({ emulator: { echo: true } })
      for (const refusalForm of forms) {
        await stack.run(
          ({ upstream }, { fail, refuse }, fault) => {
            upstream.reset()
            const { refuseBy: by, refusalForm: form, times } = fault
            const match = { refuseBy: by, refusalForm: form, times }
            upstream.use(
              typeof fault.cause === 'number'
                ? refuse(fault.cause, match)
                : fail(fault.cause as 'unauthorized', match),
            )
          },
          // The service accepts again after four handshakes. The BFF's check is one of them.
          { refuseBy, cause, refusalForm, times: end === 'open' ? 4 : undefined },
        )
        const page = open(stack, { reconnect: { minDelayMs: 50, maxDelayMs: 200 } })
        await vi.waitFor(() => expect(page.stream.failureReason).toMatchObject(error))
        await page.until(end)
        expect(await stack.run(({ upstream }) => upstream.counts.handshake)).toBeLessThanOrEqual(handshakes)
        page.unmount()
      }
    },
  )
})
