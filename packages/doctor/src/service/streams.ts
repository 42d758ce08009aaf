import { type Product, PRODUCTS } from '@stagepass/contract'
import { describeRefusal, formatDuration, timed, TROUBLE } from '../checks/wording.js'
import { shownAddress } from '../net/explainFailure.js'
import { isFull, type Opened, openSocket, type Refused } from '../net/openSocket.js'
import { CheckEnded, fail, ok, type Outcome, skipped, warn } from '../report/Result.js'
import { handshakeOf, mintAnother, open, type ServiceContext } from './ServiceContext.js'

/** A handshake that must be refused. It gets enough time for it: a service can open the WebSocket first. */
async function refuse(
  context: ServiceContext,
  sessionKey: string | undefined,
  what: string,
): Promise<Refused> {
  const { limits, found } = context
  const request = handshakeOf(context, { product: 'stt', sessionKey })
  const attempt = await openSocket({ ...request, settleMs: limits.timeoutMs })
  if (attempt.type === 'refused') {
    found.settleMs = Math.max(limits.settleMs, found.settleMs ?? 0, 2 * attempt.afterOpenMs)
    return attempt
  }
  await attempt.end()
  const advice = 'Check VOICE_STREAMING_URL: this is probably not the voice service.'
  throw new CheckEnded(fail(`${shownAddress(request.url)} opens a WebSocket ${what}.`, advice))
}

/**
 * A handshake without a token: it shows address and TLS, and costs no session. (Contract: "Handshake
 * errors".)
 */
export async function streamAddress(context: ServiceContext): Promise<Outcome> {
  const { refusal, form } = await refuse(context, undefined, 'without any token')
  const base = shownAddress(context.settings.streamingUrl)
  if (refusal?.code === 'STREAM_ERROR') return warn(`${base} answers a handshake with ${form}.`, TROUBLE)
  if (refusal) return ok(`${base} speaks WebSocket, and asks for a token.`)
  return fail(
    `${base} answers a handshake with ${form}, and no code that is known.`,
    'Check VOICE_STREAMING_URL: it is the part of the address before /stt. A proxy in front must pass WebSocket upgrades.',
  )
}

/** How a wrong token is refused. (Assumptions: "Refused handshakes".) */
export async function wrongToken(context: ServiceContext): Promise<Outcome> {
  const refused = await refuse(context, 'stagepass-doctor-wrong-token', 'with a token that does not exist')
  const seen = `It is refused by ${describeRefusal(refused)}.`
  if (refused.refusal?.code !== 'unauthorized')
    return warn(
      seen,
      'Streams expect unauthorized, and may try again where they should not. Report this line.',
    )
  const advice =
    'A page sees only close 1006 for it. Leave the route /handshake-check of the BFF reachable: it reports the code.'
  return ok(seen, refused.form.startsWith('HTTP') ? advice : undefined)
}

/** The handshake with a header, as a server does it. (Contract: "WebSocket handshake".) */
export async function headerHandshake(context: ServiceContext): Promise<Outcome> {
  const socket = await open(context, await mintAnother(context), 'header')
  await socket.end()
  return timed('A handshake with the header was accepted', socket.tookMs, context.limits.slowMs)
}

/** Clients wait so long for `ready`. (Assumptions: "Frames of /vt".) */
const READY_MS = 20_000

const SAMPLE_RATE = 16_000

const CONFIG = JSON.stringify({
  config: {
    audio: { format: 'pcm_s16le', sample_rate: SAMPLE_RATE },
    source_language: 'en-US',
    target_language: 'es-ES',
    voice: 'female',
  },
})

/** What comes in place of `ready` after a config. (Assumptions: "Frames of /vt".) */
async function configProblem(socket: Opened): Promise<string | undefined> {
  socket.send(CONFIG)
  const answer = await socket.wait(READY_MS, (text) => /"(?:ready|error)"/.test(text))
  if (answer?.text === undefined) return answer?.close ? `a close, code ${answer.close.code}` : 'nothing'
  return /"type"\s*:\s*"ready"/.test(answer.text) ? undefined : 'an error'
}

/** The WebSocket of a product, as a page opens it. (Contract: "WebSocket endpoints".) */
export const stream =
  (product: Product) =>
  async (context: ServiceContext): Promise<Outcome> => {
    const { found, limits } = context
    const token = found.mints.get(product)?.token
    if (!token)
      return skipped('Not checked, because the plan does not have it.', 'Leave it out of the grants.')
    const socket = await open(context, token)
    const problem = product === 'vt' ? await configProblem(socket) : undefined
    await socket.end()
    if (problem !== undefined)
      return fail(
        `The service answers a config for en-US to es-ES with ${problem}.`,
        'Do not use the codec voiceTranslation with this service before this is clear. Report this line.',
      )
    const ready = product === 'vt' ? ', and answers a config with ready' : ''
    const seen = `${PRODUCTS[product].path} opens with the token in the query${ready}`
    return timed(seen, socket.tookMs, limits.slowMs)
  }

/** Two WebSockets at once, as a rollover has them. (Assumptions: "Sockets of one token".) */
export async function secondSession(context: ServiceContext): Promise<Outcome> {
  const [token, other] = [await mintAnother(context), await mintAnother(context)]
  const first = await open(context, token)
  const second = await openSocket(handshakeOf(context, other), context.sleep).catch(() => undefined)
  if (second?.type === 'open') await second.end()
  await first.end()
  if (second?.type === 'open') return ok('Two WebSockets are open at once.')
  if (!second) return warn('A second WebSocket failed, and not by a refusal.', 'Run it again.')
  const seen = `a second session is refused by ${describeRefusal(second)}.`
  if (!isFull(second)) return warn(`While one session is open, ${seen}`, 'Report this line.')
  return warn(
    `Only one session at a time: ${seen}`,
    "One user at a time can stream: ask the service for more sessions. With rollover: 'seamless' a stream has a short gap before each expiry; the default, 'on-close', keeps its connection.",
  )
}

/** Over by so much, the token has expired on any clock. */
const MARGIN_MS = 5_000

/** A close at expiry that comes later than this is not seen. */
const CUT_MS = 3_000

/**
 * What happens when a token expires: to an open WebSocket, and to a handshake. (Assumptions: "Live sockets at
 * expiry".)
 */
export async function expiry(context: ServiceContext): Promise<Outcome> {
  const { sleep, found, waitsForExpiry } = context
  if (!waitsForExpiry)
    return skipped('Not checked, because it takes about 5 minutes.', 'Run it once with --expiry.')
  const token = await mintAnother(context)
  const socket = await open(context, token)
  const leftMs = token.expiresAtMs - (Date.now() + (found.clockAheadMs ?? 0))
  await sleep(Math.max(0, leftMs) + MARGIN_MS)
  const cut = await socket.wait(CUT_MS)
  await socket.end()
  const seen = `An open WebSocket ${cut ? 'is closed' : 'stays open'} at expiry.`
  const late = await openSocket(handshakeOf(context, token), sleep).catch(() => undefined)
  if (late?.type === 'open') {
    await late.end()
    return fail(
      `${seen} A handshake with the expired token is accepted after ${formatDuration(MARGIN_MS)}.`,
      'A token works longer than it says. Keep its life short, and report this to the service.',
    )
  }
  const how = late ? `refused by ${describeRefusal(late)}` : 'answered with an error'
  const advice =
    "By default a stream reconnects then, with a short gap. rollover: 'seamless' opens the next connection first."
  return ok(`${seen} A handshake with the expired token is ${how}.`, cut ? advice : undefined)
}
