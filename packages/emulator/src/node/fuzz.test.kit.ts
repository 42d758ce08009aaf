import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { ASSUMED_MEETINGS_WIRE, encodeText, MEETING_FIELDS, MEETINGS_QUERY_ROLES } from '@stagepass/contract'
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

export const dateText = fc
  .date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString())

const word = (...words: readonly string[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...words) }, oddText)
const values = new Map<string, fc.Arbitrary<string>>(
  Object.entries({
    limit: word('1', '2', '100', '101', '007'),
    ownership: word('all', 'mine', 'shared'),
    sort_by: word('date', 'duration', 'last_modified'),
    order: word('newest', 'oldest'),
    from: fc.oneof(dateText, word('2026-01-01')),
    to: fc.oneof(dateText, word('2026-13-01')),
    fields: word(...MEETING_FIELDS, 'title,participants', 'transcript', 'notes,notes'),
  }),
)
const parameter = fc
  .oneof({ weight: 6, arbitrary: fc.constantFrom<string>(...MEETINGS_QUERY_ROLES) }, oddText)
  .chain((name) => fc.tuple(fc.constant(name), values.get(name) ?? oddText))

/** Escaped completely, partly, or not at all. Characters that a target cannot contain become a plus. */
const encoded = (text: string): fc.Arbitrary<string> => {
  const escaped = encodeText(text)
  return fc.constantFrom(
    escaped,
    escaped.replaceAll('%2C', ',').replaceAll('%25', '%'),
    text.replaceAll(/[^\u0021-\u007e]|[#?]/g, '+'),
  )
}
/** Any query of the list, often nearly right. */
export const anyQuery: fc.Arbitrary<string> = fc
  .array(parameter, { maxLength: 5 })
  .chain((pairs) => fc.tuple(...pairs.flat().map(encoded)))
  .map((parts) => parts.map((part, at) => part + (at % 2 === 0 ? '=' : '&')).join(''))

const brokenEscape = fc.constantFrom('%', '%ZZ', '%E0%A4', '%c0%af', 'a%')

/** Any target below the meetings base. */
export const anyTarget: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', ASSUMED_MEETINGS_WIRE.listPath, ASSUMED_MEETINGS_WIRE.tagsPath),
    fc.array(fc.oneof(oddText.chain(encoded), brokenEscape), { maxLength: 2 }),
    anyQuery,
  )
  .map(([start, parts, search]) => `${start}${parts.map((part) => `/${part}`).join('')}?${search}`)

const near = fc.oneof(
  fc.constantFrom('stt', 'vt', 5, 180, 1_440, null),
  oddText,
  fc.jsonValue({ maxDepth: 2 }),
)
/** Any body of a token request, often nearly right. */
export const anyTokenBody: fc.Arbitrary<string> = fc.oneof(
  fc
    .record({ usage_type: near, expiration_ttl: near, metadata: near }, { requiredKeys: ['usage_type'] })
    .map((value) => JSON.stringify(value)),
  fc.json(),
  oddText,
  fc.constantFrom('['.repeat(100_000), '{"a":'.repeat(100_000), '{"__proto__":{"usage_type":"stt"}}'),
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
