import { openBrowserStack } from '@stagepass/testing/browser'
import { describe, it, vi } from 'vitest'
import { open } from './openPage.test.kit.js'

/** A cause, and the end of the stream. */
interface Row {
  readonly cause: string | number
  readonly code: string
  readonly end: 'failed' | 'open'
  readonly status?: number
}

// One of each end. wire/refusals.test.ts has all of them, with a scripted service.
const NAMES: readonly Row[] = [
  { cause: 'unauthorized', code: 'unauthorized', end: 'failed' },
  { cause: 'concurrency_limit_exceeded', code: 'concurrency_limit_exceeded', end: 'open' },
]
const NUMBERS: readonly Row[] = [
  { cause: 402, status: 402, code: 'STREAM_ERROR', end: 'failed' },
  { cause: 503, status: 503, code: 'STREAM_ERROR', end: 'open' },
]

// A browser does not see a status or its body.
const TABLE = [
  ...[...NAMES, ...NUMBERS].map((row) => ({ ...row, refuseBy: 'status' as const, form: undefined })),
  ...(['frame', 'close'] as const).flatMap((refuseBy) => [
    ...NAMES.map((row) => ({ ...row, refuseBy, form: 'flat-name' as const })),
    ...NUMBERS.map((row) => ({ ...row, refuseBy, form: 'nested-number' as const })),
  ]),
]

// Concurrent, because a row mostly waits for the next handshake. Each row has its own service.
describe.concurrent('a refusal', () => {
  it.for(TABLE)(
    'by $refuseBy with $cause is $code, and the stream is $end in the end',
    async ({ refuseBy, form, cause, code, status, end }, { expect }) => {
      const error = { code, retryable: end === 'open', ...(status && { status }) }
      const handshakes = end === 'failed' ? 3 : 6
      await using stack = await openBrowserStack({ emulator: { echo: true } })
      await stack.run(
        ({ upstream }, { fail, refuse }, fault) => {
          const match = { refuseBy: fault.refuseBy, refusalForm: fault.form, times: fault.times }
          upstream.use(
            typeof fault.cause === 'number'
              ? refuse(fault.cause, match)
              : fail(fault.cause as 'unauthorized', match),
          )
        },
        // The service accepts again after four handshakes. The BFF's check is one of them.
        { refuseBy, cause, form, times: end === 'open' ? 4 : undefined },
      )
      const page = open(stack, { reconnect: { minDelayMs: 50, maxDelayMs: 200 } })
      await vi.waitFor(() => expect(page.stream.failureReason).toMatchObject(error))
      await page.until(end)
      expect(await stack.run(({ upstream }) => upstream.counts.handshake)).toBeLessThanOrEqual(handshakes)
      page.unmount()
    },
  )
})
