import type { Request } from 'express'
import { BffError } from '../context/BffError.js'
import { untilEnded } from '../context/Cancellation.js'
import type { Call } from '../context/RequestContext.js'

/** A body of ours is a dozen words. */
export const MAX_BODY_BYTES = 4_096

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/**
 * The request's JSON body, at most 4 KiB of it, read here or by a parser of the host before. Rejects with 415, 413, 408 (it did not end within
 * the deadline) or a VALIDATION_ERROR.
 */
export async function readBody(req: Request, call: Call): Promise<unknown> {
  const { headers } = req
  const type = headers['content-type']
  if (type === undefined || (type !== 'application/json' && !JSON_TYPE.test(type)))
    throw new BffError('UNSUPPORTED_MEDIA_TYPE')
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw new BffError('PAYLOAD_TOO_LARGE')

  // Left by the host's parser: then the stream is empty, and waiting for its end would be waiting for ever.
  const parsed: unknown = req.body
  if (parsed !== undefined && !isPassedOver(parsed, req)) return readParsed(parsed)
  if (req.readableEnded) throw malformed()
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    throw new BffError('UNSUPPORTED_MEDIA_TYPE')
  call.stage = 'body'
  return parseJson(await untilEnded(readText(req), call))
}

function readText(req: Request): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    let chunks: Buffer[] | undefined
    let bytes = 0
    const onData = (data: Buffer | string): void => {
      // Strings where the host has set an encoding.
      const chunk = typeof data === 'string' ? Buffer.from(data) : data
      bytes += chunk.length
      // What follows is read and dropped: a client in mid-upload could not read the answer on a connection that was reset.
      if (bytes > MAX_BODY_BYTES) reject(new BffError('PAYLOAD_TOO_LARGE'))
      else (chunks ??= []).push(chunk)
    }
    // A client that breaks off is noticed by the response's `close`, and ends the call.
    req.on('data', onData)
    req.once('end', () => {
      req.off('data', onData)
      if (chunks) text = chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString()
      resolve(text)
    })
  })
}

/** Some parsers leave an empty object for a body that they did not read. */
function isPassedOver(parsed: unknown, req: Request): boolean {
  const isEmpty = typeof parsed === 'object' && parsed !== null && Object.keys(parsed).length === 0
  return isEmpty && !req.readableDidRead
}

const malformed = () => new BffError('VALIDATION_ERROR', { field: 'body' })

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed()
  }
}

/** What `express.json()`, `express.text()`, `express.raw()` or another parser made of the body. */
function readParsed(parsed: unknown): unknown {
  if (typeof parsed === 'string' || Buffer.isBuffer(parsed)) {
    if (Buffer.byteLength(parsed) > MAX_BODY_BYTES) throw new BffError('PAYLOAD_TOO_LARGE')
    return parseJson(parsed.toString())
  }
  let json: string | undefined
  try {
    json = JSON.stringify(parsed)
  } catch {
    throw malformed()
  }
  // A chunked or compressed body had no length that could be trusted.
  if (Buffer.byteLength(json ?? '') > MAX_BODY_BYTES) throw new BffError('PAYLOAD_TOO_LARGE')
  return parsed
}
