import { expect, it } from 'vitest'
import { AudioError } from './AudioError.js'
import { parseWav } from './parseWav.js'

interface WavParts {
  readonly samples: readonly number[]
  readonly channels?: number
  readonly bits?: number
  readonly before?: readonly (readonly [tag: string, bytes: number])[]
  readonly dataSize?: number
}

function wav({ samples, channels = 1, bits = 16, before = [], dataSize }: WavParts): ArrayBuffer {
  const bytes: number[] = []
  const text = (value: string) => bytes.push(...new TextEncoder().encode(value))
  const u16 = (value: number) => bytes.push(value & 0xff, (value >> 8) & 0xff)
  const u32 = (value: number) =>
    bytes.push(value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24)
  text('RIFF')
  u32(0)
  text('WAVE')
  for (const [tag, size] of before) {
    text(tag)
    u32(size)
    for (let i = 0; i < size + (size % 2); i += 1) bytes.push(0)
  }
  text('fmt ')
  u32(16)
  u16(1)
  u16(channels)
  u32(16_000)
  u32(32_000 * channels)
  u16(2 * channels)
  u16(bits)
  text('data')
  u32(dataSize ?? samples.length * 2)
  samples.forEach(u16)
  return Uint8Array.from(bytes).buffer
}

it('reads the samples and their rate', () => {
  expect(parseWav(wav({ samples: [0, 1, -1, 0x7fff, -0x8000] }))).toEqual({
    sampleRate: 16_000,
    samples: Int16Array.of(0, 1, -1, 0x7fff, -0x8000),
  })
})

it('skips other chunks, the filler after an odd one too', () => {
  const file = wav({ samples: [7], before: [['LIST', 13]] })
  expect([...parseWav(file).samples]).toEqual([7])
})

it('mixes two channels into one', () => {
  expect([...parseWav(wav({ samples: [100, 200, -100, -300], channels: 2 })).samples]).toEqual([150, -200])
})

it.each([0, 0xffffffff])('reads to the end where a streaming recorder left the size at %i', (dataSize) => {
  expect([...parseWav(wav({ samples: [1, 2, 3], dataSize })).samples]).toEqual([1, 2, 3])
})

it.each([
  ['nothing', new ArrayBuffer(0)],
  ['text', new TextEncoder().encode('this is not a sound file at all').buffer],
  ['8-bit samples', wav({ samples: [1], bits: 8 })],
  ['no channel', wav({ samples: [1], channels: 0 })],
  ['a header that is cut off', wav({ samples: [1] }).slice(0, 30)],
])('refuses %s with NOT_WAV', (_name, file) => {
  expect(() => parseWav(file)).toThrow(AudioError)
  expect(() => parseWav(file)).toThrow(expect.objectContaining({ code: 'NOT_WAV' }))
})
