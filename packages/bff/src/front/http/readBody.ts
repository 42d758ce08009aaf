import { BffError } from '../../base/BffError.js'
import { invalidValue } from '../../base/invalidValue.js'
import { untilAborted } from '../../request/untilAborted.js'
import { gotText } from '../../base/valueKind.js'
import type { RequestContext } from '../../request/RequestContext.js'
import { type IncomingRequest, MAX_BODY_BYTES } from './IncomingRequest.js'

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/**
 * Returns the request's JSON body of at most `maxBytes`. If a parser of the host has read it, uses that
 * result. Rejects with 415, 413, 408 (the body did not end within the deadline) or a VALIDATION_ERROR.
 */
export async function readBody(
  request: Pick<IncomingRequest, 'header' | 'body'>,
  context: RequestContext,
  maxBytes: number = MAX_BODY_BYTES,
): Promise<unknown> {
  const type = request.header('content-type')
  if (type === undefined || (type !== 'application/json' && !JSON_TYPE.test(type)))
    throw unsupported('Accept', 'application/json')
  if (Number(request.header('content-length') ?? 0) > maxBytes) throw new BffError('PAYLOAD_TOO_LARGE')

  const body = request.body()
  if (body.state === 'parsed') return readParsed(body.value, maxBytes)
  if (body.state === 'consumed') throw alreadyRead()
  const encoding = request.header('content-encoding')
  if (encoding !== undefined && encoding !== 'identity') throw unsupported('Accept-Encoding', 'identity')
  context.stage = 'body'
  const text = await untilAborted(body.read(maxBytes), context.signal)
  if (text === undefined) throw new BffError('PAYLOAD_TOO_LARGE')
  return parseJson(text, body.begun)
}

const alreadyRead = () => new BffError('VALIDATION_ERROR', { field: 'body', seen: { cause: 'read' } })

/** Says what would be accepted. (RFC 9110, 15.5.16.) */
const unsupported = (name: string, accepted: string) =>
  new BffError('UNSUPPORTED_MEDIA_TYPE', { headers: { [name]: accepted } })

function parseJson(text: string, isBegun = false): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw isBegun ? alreadyRead() : invalidValue('body', gotText(text))
  }
}

/** Checks the value that `express.json()`, `express.text()` or another parser produced. */
function readParsed(parsed: unknown, maxBytes: number): unknown {
  if (typeof parsed === 'string') {
    if (isTooLong(parsed, maxBytes)) throw new BffError('PAYLOAD_TOO_LARGE')
    return parseJson(parsed)
  }
  let json: string | undefined
  try {
    json = JSON.stringify(parsed)
  } catch {
    throw invalidValue('body', gotText(parsed))
  }
  // The `Content-Length` of a chunked or compressed body says nothing about its size.
  if (isTooLong(json ?? '', maxBytes)) throw new BffError('PAYLOAD_TOO_LARGE')
  return parsed
}

const utf8 = new TextEncoder()

const isTooLong = (text: string, maxBytes: number): boolean =>
  text.length > maxBytes || utf8.encode(text).length > maxBytes
