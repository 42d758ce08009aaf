import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EmulatorCore } from '../core/EmulatorCore.js'
import { writeResponse } from './writeResponse.js'

/** Puts the core behind `node:http`. */
export function serveRequests(
  core: EmulatorCore,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    // The Date header is the emulator's time, not the machine's.
    response.sendDate = false
    core.handleRequest({
      method: request.method ?? '',
      target: request.url ?? '/',
      headers: request.headers,
      connection: {
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
