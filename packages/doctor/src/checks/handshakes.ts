import { type Product, PRODUCTS } from '@stagepass/contract'
import { explainFailure, shownAddress } from '../net/explainFailure.js'
import type { Handshake } from '../net/openSocket.js'
import { fail, ok, type Outcome, skipped, warn } from '../report/Result.js'
import type { Check } from './Check.js'
import {
  type Carrier,
  endAll,
  mintToken,
  productsWithToken,
  type ServiceContext,
  streamUrl,
  tryHandshake,
} from './ServiceContext.js'
import { codeOf, formatDuration, formOf } from './wording.js'

/** A handshake without a token: it shows address and TLS, and costs no session. (Contract: "Handshake errors".) */
export const streamAddress: Check<ServiceContext> = {
  name: 'stream address',
  async run(context) {
    const url = streamUrl(context, 'stt')
    const handshake = await tryHandshake(context, { product: 'stt', sessionKey: undefined, by: 'header' })
    if (handshake.type === 'failed') return explainFailure(url, handshake.error)
    if (handshake.type === 'open') {
      await endAll(handshake.socket)
      return fail(
        `${shownAddress(url)} opens a WebSocket without any token.`,
        'Check VOICE_STREAMING_URL: this is probably not the voice service.',
      )
    }
    const { refusal } = handshake
    if (!refusal)
      return fail(
        `${shownAddress(url)} answers a handshake with ${formOf(handshake)}, and no code that is known.`,
        'Check VOICE_STREAMING_URL: it is the part of the address before /stt. A proxy in front must pass WebSocket upgrades.',
      )
    if (refusal.code === 'STREAM_ERROR')
      return warn(
        `${shownAddress(url)} answers a handshake with ${formOf(handshake)}.`,
        'The service has trouble of its own. Try again later.',
      )
    return ok(`${shownAddress(context.settings.streamingUrl)} speaks WebSocket, and asks for a token.`)
  },
}

/** A handshake that was refused although its token is good. */
function explainRefusedToken(handshake: Extract<Handshake, { type: 'refused' }>, product: Product): Outcome {
  const seen = `${PRODUCTS[product].name}: a fresh token was refused by ${formOf(handshake)}, ${codeOf(handshake)}.`
  switch (handshake.refusal?.code) {
    case 'concurrency_limit_exceeded':
      return fail(
        seen,
        'All sessions of the account are in use. Close other sessions, or ask the service for more.',
      )
    case 'unauthorized':
      return fail(
        seen,
        'Check that VOICE_BASE_URL and VOICE_STREAMING_URL are of the same environment of the service.',
      )
    case 'missing_authorization_header':
    case 'invalid_api_key':
      return fail(
        seen,
        'Something on the way takes the authorization away. Check the proxy between here and the service.',
      )
    default:
      return fail(seen, `Check VOICE_STREAMING_URL and that ${PRODUCTS[product].path} exists there.`)
  }
}

const ADVICE: Readonly<Record<Carrier, string>> = {
  header: 'Nothing to do. The handshake check of the BFF works in this way.',
  query:
    'Pages open their WebSockets in this way. Take authorization= out of the logs of proxies and monitoring.',
}

/** The handshake with a header, as a server does it, or with the query, as a page must. (Contract: "WebSocket handshake".) */
export function handshake(by: Carrier): Check<ServiceContext> {
  return {
    name: `handshake ${by}`,
    needs: ['stream address', 'key'],
    async run(context) {
      const [product] = productsWithToken(context)
      if (!product) return noToken()
      const sessionKey = context.found.tokens.get(product)?.sessionKey
      const first = await tryHandshake(context, { product, sessionKey, by })
      if (first.type === 'failed') return explainFailure(streamUrl(context, product), first.error)
      if (first.type === 'open') return describeOpen(context, first, by)
      // The token has been used before, and it is not known if a token opens a second WebSocket. (Assumptions: "Sockets of one token".)
      if (by === 'header' || first.refusal?.code !== 'unauthorized')
        return explainRefusedToken(first, product)
      const mint = await mintToken(context, product)
      if (mint.type !== 'token') return explainRefusedToken(first, product)
      const second = await tryHandshake(context, { product, sessionKey: mint.token.sessionKey, by })
      if (second.type !== 'open') return explainRefusedToken(first, product)
      await endAll(second.socket)
      return warn(
        'A fresh token opens a WebSocket with the query, and a token that was used before does not.',
        'Nothing to do in an application of Stagepass, which mints a token for each connection. Do not share tokens otherwise.',
      )
    },
  }
}

async function describeOpen(
  { limits }: ServiceContext,
  { socket, tookMs }: Extract<Handshake, { type: 'open' }>,
  by: Carrier,
): Promise<Outcome> {
  await endAll(socket)
  const seen = `A handshake with the ${by} was accepted, in ${formatDuration(tookMs)}.`
  return tookMs > limits.slowMs
    ? warn(
        `${seen} That is slow.`,
        'Check the network. If users are far away, ask the service for a region near them.',
      )
    : ok(seen, ADVICE[by])
}

export const noToken = (): Outcome =>
  skipped('Not checked, because there is no token of any product.', 'Repair the tokens first.')

/** The path of each product, as a page opens it. (Contract: "WebSocket endpoints".) */
export const paths: Check<ServiceContext> = {
  name: 'paths',
  needs: ['handshake query'],
  async run(context) {
    const products = productsWithToken(context).slice(1)
    if (products.length === 0)
      return skipped(
        'Not checked, because there is a token of one product only.',
        'Nothing to do if you need only that one.',
      )
    for (const product of products) {
      const sessionKey = context.found.tokens.get(product)?.sessionKey
      const attempt = await tryHandshake(context, { product, sessionKey, by: 'query' })
      if (attempt.type === 'failed') return explainFailure(streamUrl(context, product), attempt.error)
      if (attempt.type === 'refused') return explainRefusedToken(attempt, product)
      await endAll(attempt.socket)
    }
    return ok(`${products.map((product) => PRODUCTS[product].path).join(', ')} accept their tokens.`)
  },
}

/** Nothing of a real token. */
const WRONG_TOKEN = 'stagepass-doctor-wrong-token'

/** How a wrong token is refused. (Assumptions: "Refused handshakes".) */
export const wrongToken: Check<ServiceContext> = {
  name: 'wrong token',
  needs: ['stream address'],
  async run(context) {
    const attempt = await tryHandshake(context, { product: 'stt', sessionKey: WRONG_TOKEN, by: 'query' })
    if (attempt.type === 'failed') return explainFailure(streamUrl(context, 'stt'), attempt.error)
    if (attempt.type === 'open') {
      await endAll(attempt.socket)
      return fail(
        'A WebSocket opens with a token that does not exist.',
        'Check VOICE_STREAMING_URL: this is probably not the voice service, or something between opens it for everyone.',
      )
    }
    const seen = `It is refused by ${formOf(attempt)}, ${codeOf(attempt)}.`
    if (!attempt.refusal)
      return warn(
        seen,
        'Stagepass cannot read this form, and will try again a few times. Report it with this line.',
      )
    if (attempt.refusal.code !== 'unauthorized')
      return warn(
        seen,
        'The code unauthorized was expected. Streams treat this as they treat the code that was seen.',
      )
    return ok(
      seen,
      attempt.by === 'status'
        ? 'A page sees only close 1006 for it. Leave the route /handshake-check of the BFF reachable: it reports the code.'
        : 'Nothing to do: a page reads the code itself.',
    )
  },
}
