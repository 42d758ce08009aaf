import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EmulatorCore } from '../core/EmulatorCore.js'
import type { EncodedResponse } from '../core/request/http.js'
import type { IdleTimes } from './createIdleTimes.js'
import { encodeBody } from './encodeBody.js'

const CHUNK = Buffer.alloc(64 * 1_024, ' ')

/** Connects the core to `node:http`. */
export function serveRequests(
  core: EmulatorCore,
  idleTimes: IdleTimes,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    // The Date header is the emulator's time, not the machine's.
    response.sendDate = false
    const idleMs = idleTimes.of(request.socket)
    response.once('finish', () => idleTimes.ended(request.socket))
    core.handleRequest({
      method: request.method ?? '',
      target: request.url ?? '/',
      headers: request.headers,
      connection: {
        idleMs,
        onClose: (listener) => response.once('close', () => listener(response.writableFinished)),
        respond: (encoded) => writeResponse(response, encoded),
        destroy: () => request.socket.destroy(),
      },
      readBody: (limitBytes, done) => readBody(request, limitBytes, done),
    })
  }
}

function readBody(
  request: IncomingMessage,
  limitBytes: number,
  done: (bytes: Buffer | undefined) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  request.on('error', () => request.destroy())
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= limitBytes) chunks.push(chunk)
  })
  request.on('end', () => done(size <= limitBytes ? Buffer.concat(chunks) : undefined))
}

/** Sends a response of the core. Throws if HTTP cannot send its head. */
function writeResponse(response: ServerResponse, { status, headers, body, coding }: EncodedResponse): void {
  const bytes = coding && encodeBody(body, coding)
  if (bytes) {
    response.writeHead(status, { ...headers, 'content-length': bytes.length }).end(bytes)
    return
  }
  response.writeHead(status, headers)
  switch (body.type) {
    case 'text':
      response.end(body.text)
      return
    case 'part':
      response.write(body.text, () => response.destroy())
      return
    case 'spaces':
      writeSpaces(response, body.count)
      return
    case 'endless': {
      const timer = setInterval(() => response.write(' '), body.everyMs)
      timer.unref()
      response.once('close', () => clearInterval(timer))
      return
    }
    default:
      body satisfies never
  }
}

function writeSpaces(response: ServerResponse, count: number): void {
  let left = count
  const pump = (): void => {
    while (left > 0 && !response.destroyed) {
      const chunk = CHUNK.subarray(0, Math.min(left, CHUNK.length))
      left -= chunk.length
      if (!response.write(chunk)) {
        response.once('drain', pump)
        return
      }
    }
    if (!response.destroyed) response.end('{}')
  }
  pump()
}
