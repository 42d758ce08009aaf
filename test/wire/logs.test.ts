import { Writable } from 'node:stream'
import { fail } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { pino } from 'pino'
import { expect, it } from 'vitest'

/** The code of docs/observability.md, "Logs". */
it('events in the lines of a real logger: levels by event, the id of the answer, and no secret', async () => {
  let text = ''
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  const logger = pino({ level: 'debug' }, sink)
  await using stack = await startStack({
    bff: {
      onEvent: (event) => {
        const isError = event.type === 'request.finished' && event.status >= 500
        logger[isError ? 'error' : event.type === 'upstream.called' ? 'debug' : 'info'](event)
      },
    },
  })
  const minted = await stack.fetch('/session-token', {
    json: { usage_type: 'stt', session_id: 'the-session' },
  })
  const { session_key: token } = (await minted.json()) as { session_key: string }
  await stack.fetch('/meetings?q=a-secret-search')
  await stack.fetch('/handshake-check', { json: { usage_type: 'stt', session_key: token } })
  stack.upstream.use(fail('AUTH_NO_LICENSE', { on: 'token' }))
  const refused = (await (await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).json()) as {
    request_id: string
  }

  const lines = text.trim().split('\n')
  const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(
    parsed.find(({ requestId, type }) => requestId === refused.request_id && type === 'request.finished'),
  ).toMatchObject({ level: 50, status: 502, errorCode: 'AUTH_NO_LICENSE' })
  const { apiKey, meetingsCredential } = stack.upstream
  const secrets = [apiKey, meetingsCredential, token, 'a-secret-search', 'the-session']
  const forms = secrets.flatMap((secret) => [
    secret,
    Buffer.from(secret).toString('base64'),
    encodeURIComponent(secret),
  ])
  expect(forms.filter((form) => text.includes(form))).toEqual([])
})
