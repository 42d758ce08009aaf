// oxlint-disable-next-line import/no-unassigned-import -- It comes before all other modules.
import './phoneGlobals.js'
import { QueryClient, QueryClientProvider, onlineManager } from '@tanstack/react-query'
import {
  createVoiceClient,
  isVoiceError,
  tokenSource,
  useStream,
  type UseStreamResult,
  VoiceProvider,
} from '@stagepass/react'
import { voiceTranslation } from '@stagepass/react/codecs'
import { toText } from '@stagepass/react/transcript'
import { useEffect } from 'react'
import { create } from 'react-test-renderer'
import { AppState } from './appState.js'
import { clock } from './clock.js'
import { createScriptedBff } from './createScriptedBff.js'
import { lastSocket, PhoneWebSocket, sockets } from './PhoneWebSocket.js'

/*
 * An application on a phone, from its first token to a change of user. It prints what was seen after each
 * step, one line of JSON each. Time is the clock's, and the network is the program's.
 */

/** Of Hermes. */
declare function print(line: string): void

const seen = (step: string, what: unknown): void => print(JSON.stringify({ step, ...Object(what) }))

Object.assign(globalThis, { WebSocket: PhoneWebSocket })
const bff = createScriptedBff()
const events: string[] = []
const voice = createVoiceClient({
  url: 'https://bff.test/api/voice',
  headers: () => Promise.resolve({ authorization: 'Bearer access' }),
  fetch: bff.fetch as unknown as typeof fetch,
  onEvent: (event) => events.push(JSON.stringify(event)),
})

const streams: Record<string, UseStreamResult<never, unknown>> = {}
const received: unknown[] = []

function Streams({ keeps }: { keeps: boolean }) {
  const plain = useStream('stt', { onMessage: (data) => received.push(data) })
  const kept = useStream('stt', { key: 'kept', enabled: keeps, keepInBackground: true })
  useEffect(() => void Object.assign(streams, { plain, kept }), [plain, kept])
  return null
}

const queryClient = new QueryClient()
const App = ({ keeps = false, user = 'ada' }: { keeps?: boolean; user?: string }) => (
  <QueryClientProvider client={queryClient}>
    <VoiceProvider client={voice} user={user}>
      <Streams keeps={keeps} />
    </VoiceProvider>
  </QueryClientProvider>
)

const status = (key = 'plain'): unknown => streams[key]?.status
/** How many sockets are open or being opened. */
const open = (): number => sockets.filter(({ isOver }) => !isOver).length
const fail = (reason: string): void => lastSocket().fail(reason)

async function run(): Promise<void> {
  // A token, and the next one before the first expires.
  voice.setUser('ada')
  const tokens = tokenSource(voice, 'stt')
  const release = tokens.retain()
  const first = await tokens.get()
  seen('token', { asked: bff.asked, value: first.token.value, json: JSON.stringify(first.token) })
  await clock.advance(299_000)
  seen('renewed', {
    count: bff.count('/session-token'),
    old: first.token.value,
    now: tokens.current()?.generation,
  })
  release()

  // The token goes in a header.
  const root = create(<App />)
  await clock.advance(100)
  const { url, headers } = lastSocket()
  seen('handshake', { url, headers, status: status() })
  lastSocket().accept()
  await clock.advance(20_000)
  streams['plain']?.send(new Uint8Array([1, 2]).buffer as never)
  lastSocket().receive('heard')
  await clock.advance(100)
  seen('open', { status: status(), sent: lastSocket().sent.length, received })

  // A loss, and then a refusal of which the phone shows the status: each time a socket of its own.
  fail('Software caused connection abort')
  await clock.advance(1_000)
  const refused = lastSocket()
  fail("Expected HTTP 101 response but was '403 Forbidden'")
  await clock.advance(1_000)
  seen('refused', {
    status: status(),
    isOther: refused.headers['Authorization'] !== lastSocket().headers['Authorization'],
    failure: streams['plain']?.failureReason?.code,
    checks: bff.count('/handshake-check'),
  })
  lastSocket().accept()
  await clock.advance(20_000)

  // A refusal that the phone does not explain: a fresh token, then the BFF tries.
  bff.setVerdict({ ok: false, error_code: 'concurrency_limit_exceeded', retryable: true, status: 429 })
  fail('')
  await clock.advance(1_000)
  fail('Connection refused')
  await clock.advance(1_000)
  fail('Connection refused')
  await clock.advance(100)
  seen('checked', { checks: bff.count('/handshake-check'), failure: streams['plain']?.failureReason?.code })
  await clock.advance(10_000)
  lastSocket().accept()
  await clock.advance(20_000)

  // The background: nothing for half a minute, then no connection and no attempt until the return.
  AppState.become('background')
  await clock.advance(29_000)
  AppState.become('active')
  await clock.advance(1_000)
  seen('soon back', { status: status(), open: open() })
  AppState.become('background')
  await clock.advance(31_000)
  seen('behind', { status: status(), open: open(), closedWith: lastSocket().closedWith })
  const before = sockets.length
  onlineManager.setOnline(false)
  onlineManager.setOnline(true)
  await clock.advance(3_600_000)
  seen('an hour later', { attempts: sockets.length - before, retryAt: streams['plain']?.retryAt })
  AppState.become('active')
  await clock.advance(100)
  lastSocket().accept()
  await clock.advance(20_000)
  seen('back', { status: status(), open: open(), attempts: sockets.length - before })

  // The phone stops the application in the background: no timer fires before the return.
  const old = lastSocket()
  AppState.become('background')
  clock.stopFor(120_000)
  AppState.become('active')
  await clock.advance(100)
  lastSocket().accept()
  await clock.advance(20_000)
  seen('stopped', { status: status(), closedWith: old.closedWith, open: open() })

  // From Wi-Fi to mobile: the socket of the old network reports nothing.
  const onWifi = lastSocket()
  onlineManager.setOnline(false)
  await clock.advance(3_000)
  onlineManager.setOnline(true)
  await clock.advance(1_000)
  lastSocket().accept()
  await clock.advance(20_000)
  seen('other network', { status: status(), closedWith: onWifi.closedWith, open: open() })

  // Two streams, one of which is kept in the background.
  root.update(<App keeps />)
  await clock.advance(100)
  lastSocket().accept()
  await clock.advance(20_000)
  AppState.become('background')
  await clock.advance(60_000)
  seen('kept', { plain: status(), kept: status('kept'), open: open() })
  AppState.become('active')
  await clock.advance(100)
  lastSocket().accept()
  root.update(<App />)
  await clock.advance(20_000)

  // A close during the handshake, which Android ignores.
  streams['plain']?.close()
  await clock.advance(100)
  streams['plain']?.open()
  await clock.advance(100)
  const early = lastSocket()
  streams['plain']?.close()
  early.accept()
  await clock.advance(100)
  seen('closed early', { status: status(), closedWith: early.closedWith })

  // A BFF that does not respond, then another user.
  bff.setSilent(true)
  const reasonOf = (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'resolved',
      (error: unknown) => (isVoiceError(error) ? `${error.code} ${error.retryable}` : String(error)),
    )
  const left = new AbortController()
  const aborted = reasonOf(tokenSource(voice, 'vt').get({ signal: left.signal }))
  left.abort()
  const late = reasonOf(tokenSource(voice, 'vt').get())
  await clock.advance(12_000)
  seen('silent', { aborted: await aborted, late: await late })
  const ended = reasonOf(tokenSource(voice, 'vt').renew())
  root.update(<App user="bob" />)
  await clock.advance(100)
  seen('another user', { ended: await ended, user: voice.user, open: open() })

  const codec = voiceTranslation({ source_language: 'de-DE', target_language: 'en-US', voice: 'female' })
  const messages = [...codec.decode('{"transcript":{"text":"Guten Tag"}}')].filter(
    (message) => message.type === 'transcript',
  )
  seen('entries', { start: codec.start?.(), text: toText(messages) })
  seen('secrets', {
    inAddresses: sockets.filter((one) => one.url.includes('st_secret') || one.url.includes('?')).length,
    inRequests: bff.asked.filter(({ path }) => path.includes('st_secret')).length,
    inEvents: events.filter((event) => event.includes('st_secret')).length,
    credentials: [...new Set(bff.asked.map(({ credentials }) => credentials))],
    sockets: sockets.length,
  })
}

run().catch((error: unknown) =>
  print(JSON.stringify({ step: 'failed', error: String((error as Error).stack) })),
)
