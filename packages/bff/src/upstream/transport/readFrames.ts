import type { Duplex } from 'node:stream'

export interface FrameListener {
  readonly onText: (text: string) => void
  /**
   * Called for the first close frame. Called with 1006, as in a browser, if the connection ends without one
   * or a frame violates the protocol.
   */
  readonly onClose: (code: number, reason: string) => void
}

/** Longest frame and longest message. */
const MAX_BYTES = 65_536

const [CONTINUATION, TEXT, CLOSE] = [0x0, 0x1, 0x8]

/**
 * Reads the frames of a server that a handshake check needs: text and close. (RFC 6455, section 5.2.) Nothing
 * is ever written, so pings get no response.
 */
export function readFrames(socket: Duplex, { onText, onClose }: FrameListener): void {
  let unread: Buffer = Buffer.alloc(0)
  let text: Buffer | undefined
  let closed = false

  const close = (code: number, reason: string): void => {
    if (!closed) onClose(code, reason)
    closed = true
  }
  const readFrame = ({ isFinal, opcode, payload }: Frame): void => {
    if (opcode === CLOSE)
      return payload.length < 2
        ? close(1005, '')
        : close(payload.readUInt16BE(0), payload.subarray(2).toString('utf8'))
    if (opcode === TEXT) text = payload
    else if (opcode === CONTINUATION && text) text = Buffer.concat([text, payload])
    else return
    if (text.length > MAX_BYTES) return close(1006, '')
    if (!isFinal) return
    onText(text.toString('utf8'))
    text = undefined
  }

  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk])
    for (;;) {
      const frame = closed ? undefined : firstFrame(unread)
      if (frame === 'broken') return close(1006, '')
      if (!frame) return
      unread = unread.subarray(frame.end)
      readFrame(frame)
    }
  })
  socket.on('error', () => close(1006, ''))
  socket.on('close', () => close(1006, ''))
  socket.on('end', () => close(1006, ''))
}

interface Frame {
  readonly isFinal: boolean
  readonly opcode: number
  readonly payload: Buffer
  /** Position of the next frame. */
  readonly end: number
}

/**
 * Returns `undefined` if the first frame is not complete. Masked frames and reserved bits are errors: a
 * server does not mask, and no extension was requested.
 */
function firstFrame(bytes: Buffer): Frame | 'broken' | undefined {
  const [first, second] = bytes
  if (first === undefined || second === undefined) return undefined
  if ((first & 0x70) !== 0 || (second & 0x80) !== 0 || second === 127) return 'broken'
  const isLong = second === 126
  if (isLong && bytes.length < 4) return undefined
  const start = isLong ? 4 : 2
  const end = start + (isLong ? bytes.readUInt16BE(2) : second)
  if (bytes.length < end) return undefined
  return { isFinal: first >= 0x80, opcode: first & 0x0f, payload: bytes.subarray(start, end), end }
}
