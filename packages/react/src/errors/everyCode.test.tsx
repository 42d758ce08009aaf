import { readFileSync } from 'node:fs'
import { BFF_ERRORS, codesOf, HANDSHAKE_ERRORS, hasCode, TOKEN_ERRORS } from '@stagepass/contract'
import { acceptThenClose, respond, drop, fail, hang, malformed, refuse } from '@stagepass/emulator'
import { render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import { useMeeting } from '../meetings/useMeeting.js'
import { useMeetings } from '../meetings/useMeetings.js'
import { useStream } from '../stream/useStream.js'
import { setupVoice, type VoiceSetup } from '../testing/setupVoice.test.kit.js'
import { useSessionToken } from '../token/useSessionToken.js'
import type { VoiceError } from './VoiceError.js'
import { CLIENT_ERRORS, type VoiceErrorCode } from './clientErrors.js'

/*
 * Compares the text that a page shows for each code with docs/errors.md. The service's codes come from the
 * faults of the emulator, through a BFF. Codes of the BFF itself are sent in its format. Codes of the browser
 * come from their real causes.
 */

const page = readFileSync('docs/errors.md', 'utf8')
const sentenceOf = (code: string): string | undefined =>
  /“(.+?)”/.exec(page.split(`### ${code}\n`)[1] ?? '')?.[1]

type Show = (props: { onError: (error: VoiceError) => void }) => ReactNode

interface Way {
  readonly Page: Show
  /** Causes the failure. */
  readonly cause: (setup: VoiceSetup) => void
}

function Alert({ error, onError }: { error: VoiceError | null; onError: (error: VoiceError) => void }) {
  if (!error) return null
  onError(error)
  return (
    <p role="alert" title={error.code}>
      {error.message}
    </p>
  )
}

const Token: Show = ({ onError }) => <Alert error={useSessionToken('stt').failureReason} onError={onError} />
const Stream: Show = ({ onError }) => (
  <Alert
    error={useStream('stt', { connectTimeoutMs: 200, reconnect: { minDelayMs: 1_000 } }).failureReason}
    onError={onError}
  />
)
const List: Show = ({ onError }) => <Alert error={useMeetings().failureReason} onError={onError} />
const One: Show = ({ onError }) => <Alert error={useMeeting('m1').failureReason} onError={onError} />
const NoId: Show = ({ onError }) => <Alert error={useMeeting('.').failureReason} onError={onError} />

const json =
  (body: object): Way['cause'] =>
  ({ stack }) =>
    stack.intercept((_req, res) => void res.json(body))

const token = (more: object) => ({
  type: 'session',
  session_key: 'k',
  usage_type: 'stt',
  expires_at: '2030-01-01T00:00:00Z',
  expires_in_ms: 60_000,
  stream_url: 'ws://127.0.0.1:1/stt',
  ...more,
})

const BROWSER: Readonly<Record<keyof typeof CLIENT_ERRORS, Way | undefined>> = {
  NETWORK_ERROR: { Page: Token, cause: ({ stack }) => stack.intercept((req) => void req.socket.destroy()) },
  NOT_STAGEPASS: {
    Page: Token,
    cause: ({ stack }) => stack.intercept((_req, res) => void res.status(404).end('no')),
  },
  MALFORMED_RESPONSE: { Page: Token, cause: json({}) },
  TOKEN_MISMATCH: { Page: Token, cause: json(token({ usage_type: 'tts' })) },
  TOKEN_EXPIRED: { Page: Token, cause: json(token({ expires_in_ms: 0 })) },
  CONNECT_TIMEOUT: { Page: Stream, cause: ({ stack }) => stack.upstream.use(hang({ on: 'handshake' })) },
  CONNECTION_REFUSED: {
    Page: Stream,
    cause: ({ stack }) => stack.upstream.use(drop({ on: 'handshake' })),
  },
  CONNECTION_LOST: { Page: Stream, cause: ({ stack }) => stack.upstream.use(acceptThenClose(1011)) },
  STREAM_ERROR: {
    Page: Stream,
    cause: ({ stack }) => stack.upstream.use(refuse(402, { refuseBy: 'close' })),
  },
  // A request that was cancelled is not shown.
  ABORTED: undefined,
}

function wayOf(code: VoiceErrorCode): Way | undefined {
  if (hasCode(CLIENT_ERRORS, code)) return BROWSER[code]
  if (hasCode(HANDSHAKE_ERRORS, code)) {
    return { Page: Stream, cause: ({ stack }) => stack.upstream.use(fail(code, { refuseBy: 'close' })) }
  }
  if (hasCode(TOKEN_ERRORS, code)) {
    if (code === 'VALIDATION_ERROR') return { Page: NoId, cause: () => {} }
    return { Page: Token, cause: ({ stack }) => stack.upstream.use(fail(code)) }
  }
  switch (code) {
    case 'MEETINGS_CREDENTIAL_REJECTED':
      return { Page: List, cause: ({ stack }) => stack.upstream.use(fail('CREDENTIAL_INVALID')) }
    case 'UPSTREAM_RATE_LIMITED':
      return { Page: List, cause: ({ stack }) => stack.upstream.use(fail('RATE_LIMIT_EXCEEDED')) }
    case 'NOT_FOUND':
      return { Page: One, cause: ({ stack }) => stack.upstream.use(fail('UNKNOWN_MEETING')) }
    case 'MEETING_PROCESSING':
      return { Page: One, cause: ({ stack }) => stack.upstream.use(fail('STILL_PROCESSING')) }
    case 'UPSTREAM_MALFORMED':
      return { Page: Token, cause: ({ stack }) => stack.upstream.use(malformed('bad-json', { on: 'token' })) }
    case 'UPSTREAM_ERROR':
      return {
        Page: Token,
        cause: ({ stack }) => stack.upstream.use(respond({ status: 503, body: {} }, { on: 'token' })),
      }
    case 'UPSTREAM_UNREACHABLE':
      return { Page: Token, cause: ({ stack }) => stack.upstream.use(drop({ on: 'token' })) }
    default:
      return {
        Page: Token,
        cause: ({ stack }) =>
          stack.intercept(
            (_req, res) =>
              void res
                .status(BFF_ERRORS[code].status)
                .json({ ...BFF_ERRORS[code], hint: undefined, error_code: code }),
          ),
      }
  }
}

const CODES: readonly VoiceErrorCode[] = [
  ...codesOf(BFF_ERRORS),
  ...codesOf(HANDSHAKE_ERRORS),
  ...codesOf(CLIENT_ERRORS),
]

it.each(CODES)('a page shows for %s what docs/errors.md says', async (code) => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const way = wayOf(code)
  if (!way) return
  await using setup = await setupVoice()
  way.cause(setup)
  const errors: VoiceError[] = []
  render(<way.Page onError={(error) => errors.push(error)} />, { wrapper: setup.Wrapper })
  const alert = await screen.findByTitle(code, undefined)
  expect(alert.textContent).toBe(sentenceOf(code))
  const error = errors.find((one) => one.code === code)
  expect(error?.hint).toBeTruthy()
  // No token and no query.
  expect(error?.hint).not.toMatch(/authorization=|\?\w+=/)
  for (const { sessionKey } of setup.stack.upstream.tokens.all())
    expect(error?.hint).not.toContain(sessionKey)
})
