import { drop, fail, refuse } from '@stagepass/emulator/browser'
import { cleanup, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, it } from 'vitest'
import { useStream } from '../stream/useStream.js'
import { createTestVoice } from '../testing/index.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(cleanup)

/** Says how the stream ends or opens, not what comes between. */
function Stream(): ReactNode {
  const { status, error } = useStream('stt')
  return <p role="status">{error?.code ?? status}</p>
}

it.each([
  ['is dropped', drop({ on: 'handshake', times: 1 })],
  ['gets a 503', refuse(503, { times: 1 })],
  ['gets a 401', refuse(401, { times: 1 })],
  ['finds no session', fail('concurrency_limit_exceeded', { on: 'handshake', times: 1 })],
  ['gets unauthorized', fail('unauthorized', { times: 1 })],
] as const)(
  'with minutes for one token a stream opens whose first handshake %s',
  async (_what, fault) => {
    using voice = createTestVoice({ faults: [fault], usage: { minutesPerDay: 12 } })
    render(<Stream />, { wrapper: pageOf(voice.client) })
    await screen.findByText(/^(?:open|[A-Z_]+)$/)
    expect(screen.getByRole('status').textContent).toBe('open')
    expect(voice.emulator.counts.token).toBe(2)
  },
  20_000,
)
