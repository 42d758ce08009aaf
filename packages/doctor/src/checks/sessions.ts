import { PRODUCTS } from '@stagepass/contract'
import { explainFailure } from '../net/explainFailure.js'
import type { Handshake } from '../net/openSocket.js'
import { fail, ok, type Outcome, skipped, warn } from '../report/Result.js'
import type { Check } from './Check.js'
import { noToken } from './handshakes.js'
import {
  endAll,
  mintToken,
  productsWithToken,
  type ServiceContext,
  streamUrl,
  tryHandshake,
} from './ServiceContext.js'
import { codeOf, formatDuration, formOf } from './wording.js'

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

const isReady = (text: string): boolean => /"type"\s*:\s*"ready"/.test(text)
const isReadyOrError = (text: string): boolean => isReady(text) || /"error"\s*:/.test(text)

/** Config, then `ready`. (Assumptions: "Frames of /vt".) */
export const translation: Check<ServiceContext> = {
  name: 'vt greeting',
  needs: ['handshake query'],
  async run(context) {
    const token = context.found.tokens.get('vt')
    if (!token)
      return skipped(
        'Not checked, because there is no token for Voice Translation.',
        'Nothing to do if you do not use it.',
      )
    const attempt = await tryHandshake(context, { product: 'vt', sessionKey: token.sessionKey, by: 'query' })
    if (attempt.type === 'failed') return explainFailure(streamUrl(context, 'vt'), attempt.error)
    if (attempt.type === 'refused')
      return fail(
        `The handshake was refused by ${formOf(attempt)}, ${codeOf(attempt)}.`,
        'See the results of the handshakes above.',
      )
    const { socket } = attempt
    socket.send(CONFIG)
    const answer = await socket.wait(isReadyOrError, Math.min(READY_MS, 2 * context.limits.timeoutMs))
    await endAll(socket)
    if (typeof answer === 'string' && isReady(answer)) return ok('The service answers a config with ready.')
    const advice =
      'Do not use the codec voiceTranslation with this service before this is clear. Report this line.'
    if (answer === undefined) return fail('The service answers nothing to a config.', advice)
    return typeof answer === 'string'
      ? fail('The service answers a config for en-US to es-ES with an error.', advice)
      : fail(`The service answers a config with a close, code ${answer.code}.`, advice)
  },
}

/** Two WebSockets at once, as a rollover has them. (Assumptions: "Sockets of one token".) */
export const secondSession: Check<ServiceContext> = {
  name: 'second session',
  needs: ['handshake query'],
  async run(context) {
    const [product] = productsWithToken(context)
    if (!product) return noToken()
    const mints = [await mintToken(context, product), await mintToken(context, product)]
    const [first, second] = mints.map((mint) => (mint.type === 'token' ? mint.token.sessionKey : undefined))
    if (first === undefined || second === undefined)
      return fail('Two further tokens could not be minted.', 'See the results of the tokens above.')

    const open = async (sessionKey: string): Promise<Handshake> =>
      tryHandshake(context, { product, sessionKey, by: 'query' })
    const one = await open(first)
    if (one.type !== 'open') return warn('The first WebSocket did not open this time.', 'Run it again.')
    const other = await open(second)
    const sameToken = await open(first)
    await endAll(
      one.socket,
      ...[other, sameToken].map((attempt) => (attempt.type === 'open' ? attempt.socket : undefined)),
    )
    return describeSecond(other, sameToken)
  },
}

function describeSecond(other: Handshake, sameToken: Handshake): Outcome {
  if (other.type === 'failed')
    return warn('The second WebSocket failed, and not by a refusal.', 'Run it again.')
  if (other.type === 'refused')
    return other.refusal?.code === 'concurrency_limit_exceeded'
      ? warn(
          `Only one session at a time: the second is refused by ${formOf(other)}, ${codeOf(other)}.`,
          'A stream cannot overlap its connections, so it reconnects at each renewal, with a short gap. One user at a time can stream: ask the service for more sessions.',
        )
      : warn(`The second WebSocket is refused by ${formOf(other)}, ${codeOf(other)}.`, 'Report this line.')
  const twice = sameToken.type === 'open' ? 'also with one token' : 'but not with one token'
  return ok(
    `Two WebSockets are open at once with two tokens, ${twice}.`,
    'Nothing to do: a rollover can overlap.',
  )
}

/** Over by so much, the token has expired on any clock. */
const MARGIN_MS = 5_000

/** A close at expiry that comes later than this is not seen. */
const CUT_MS = 3_000

/** What happens when a token expires: to an open WebSocket, and to a handshake. (Assumptions: "Live sockets at expiry".) */
export function expiry(isWanted: boolean): Check<ServiceContext> {
  return {
    name: 'expiry',
    needs: ['handshake query'],
    async run(context) {
      const [product] = productsWithToken(context)
      if (!product) return noToken()
      const minutes = PRODUCTS[product].ttlMinutes.min
      if (!isWanted)
        return skipped(
          `Not checked, because the shortest token lives ${minutes} minutes.`,
          `Run it once with --expiry, which waits for about ${minutes} minutes.`,
        )
      const mint = await mintToken(context, product)
      if (mint.type !== 'token')
        return fail('A further token could not be minted.', 'See the results of the tokens above.')
      const { sessionKey, expiresAtMs } = mint.token
      const attempt = await tryHandshake(context, { product, sessionKey, by: 'query' })
      if (attempt.type !== 'open') return warn('The WebSocket did not open this time.', 'Run it again.')
      const { platform, signal, found } = context
      const leftMs = expiresAtMs - (platform.now() + (found.clockAheadMs ?? 0))
      await platform.sleep(Math.max(0, leftMs) + MARGIN_MS, signal)
      const cut = await attempt.socket.closed(CUT_MS)
      await endAll(attempt.socket)
      return describeExpiry(await tryHandshake(context, { product, sessionKey, by: 'query' }), cut)
    },
  }
}

async function describeExpiry(late: Handshake, cut: { readonly code: number } | undefined): Promise<Outcome> {
  const open = cut
    ? `An open WebSocket is closed at expiry (code ${cut.code})`
    : 'An open WebSocket stays open at expiry'
  if (late.type === 'open') {
    await endAll(late.socket)
    return fail(
      `${open}, and a handshake with the expired token is accepted after ${formatDuration(MARGIN_MS)}.`,
      'A token works longer than it says. Keep its life short, and report this to the service.',
    )
  }
  const refused =
    late.type === 'refused' ? `refused by ${formOf(late)}, ${codeOf(late)}` : 'answered with an error'
  return ok(
    `${open}. A handshake with the expired token is ${refused}.`,
    cut
      ? 'Leave the rollover of streams on: it opens the next connection before the token expires.'
      : 'Nothing to do. The rollover of streams is still right, because the service promises neither.',
  )
}
