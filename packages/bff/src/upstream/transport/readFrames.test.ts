import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readFrames } from './readFrames.js'

/** The listener's calls when these bytes arrive, each list in one piece, and the connection ends. */
async function hear(...pieces: readonly (readonly number[])[]): Promise<unknown[]> {
  const socket = new PassThrough()
  const heard: unknown[] = []
  readFrames(socket, {
    onText: (text) => heard.push(text),
    onClose: (code, reason) => heard.push([code, reason]),
  })
  for (const piece of pieces) {
    socket.write(Buffer.from(piece))
    await new Promise(setImmediate)
  }
  socket.end()
  await new Promise((resolve) => socket.once('close', resolve))
  return heard
}

const bytes = (text: string): number[] => [...Buffer.from(text)]
const ENDED = [1006, '']

// RFC 6455, section 5.7.
const HELLO = [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]
const HEL = [0x01, 0x03, 0x48, 0x65, 0x6c]
const LO = [0x80, 0x02, 0x6c, 0x6f]
const PING = [0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]
const BINARY = [0x82, 0x7e, 0x01, 0x00, ...Array.from({ length: 256 }, () => 7)]
const CLOSE = [0x88, 0x06, 0x0f, 0xa0, ...bytes('gone')]

describe('frames of a server', () => {
  it.each<[string, number[][], unknown[]]>([
    ['a text', [HELLO], ['Hello', ENDED]],
    ['two in one piece', [[...HELLO, ...HELLO]], ['Hello', 'Hello', ENDED]],
    ['byte by byte', HELLO.map((byte) => [byte]), ['Hello', ENDED]],
    ['a text in fragments, a ping between them', [HEL, PING, LO], ['Hello', ENDED]],
    [
      'a length in two bytes',
      [[0x81, 0x7e, 0x00, 0x80, ...bytes('x'.repeat(128))]],
      ['x'.repeat(128), ENDED],
    ],
    ['binary and ping are passed over', [BINARY, PING, HELLO], ['Hello', ENDED]],
    ['a close with its reason', [CLOSE], [[4000, 'gone']]],
    ['a close without a code', [[0x88, 0x00]], [[1005, '']]],
    ['nothing after a close', [[...CLOSE, ...HELLO, ...CLOSE]], [[4000, 'gone']]],
    ['an end', [], [ENDED]],
    ['an end in the middle of a frame', [HELLO.slice(0, 4)], [ENDED]],
    ['a continuation of nothing', [LO, HELLO], ['Hello', ENDED]],
  ])('%s', async (_, pieces, heard) => {
    expect(await hear(...pieces)).toEqual(heard)
  })

  it.each<[string, number[][]]>([
    ['a masked frame', [[0x81, 0x85, 1, 2, 3, 4, 0, 0, 0, 0, 0]]],
    ['an extension that was not asked for', [[0xc1, 0x05, ...bytes('Hello')]]],
    ['a length in eight bytes', [[0x81, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0]]],
    ['what is not a frame', [bytes('SSH-2.0-OpenSSH_9.6\r\n')]],
    [
      'fragments without end',
      Array.from({ length: 3 }, (_, at) => [
        at === 0 ? 0x01 : 0x00,
        0x7e,
        0x80,
        0x00,
        ...Array.from({ length: 32_768 }, () => 120),
      ]),
    ],
  ])('%s ends the connection', async (_, pieces) => {
    expect(await hear(...pieces, HELLO)).toEqual([ENDED])
  })
})
