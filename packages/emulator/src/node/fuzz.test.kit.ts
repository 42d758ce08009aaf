import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import * as fc from 'fast-check'
import type { Emulator } from './createEmulator.js'

/** A fixed seed, so that a failure can be repeated. */
export const runs = (numRuns: number): fc.Parameters<unknown> => ({ seed: 20_260_301, numRuns })

/**
 * Text that often breaks parsers: names of Object.prototype, broken escapes, lone surrogates, numbers out of
 * range.
 */
export const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ maxLength: 30 }),
  fc.constantFrom(
    ...'% %00 %ZZ ../.. // , ,,, 0 -1 1e999 NaN null __proto__ constructor toString İ ﬃ 👩‍👩‍👧 ((((('.split(' '),
    '',
    ' ',
    '\u0000',
    '\u2028',
    '\ud800',
    '9'.repeat(400),
    'x'.repeat(4_000),
  ),
)

export interface RawReply {
  readonly status: number
  readonly text: string
}

/** A request whose target is sent unchanged. `fetch` would normalise it. */
export function sendTarget(
  upstream: Emulator,
  path: string,
  headers: Record<string, string>,
): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const sent = request(upstream.baseUrl, { path, headers }, (response) => {
      void text(response).then((body) => resolve({ status: response.statusCode ?? 0, text: body }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Sends the bytes and ends. Returns the received bytes, at the latest when the server has closed. */
export function sendBytes(upstream: Emulator, bytes: Uint8Array): Promise<string> {
  const { hostname, port } = new URL(upstream.baseUrl)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
    socket.end(bytes)
  })
}
