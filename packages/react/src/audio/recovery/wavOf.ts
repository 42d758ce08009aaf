const HEADER_BYTES = 44
const BYTES_A_SAMPLE = 2

/** A WAV file of 16-bit PCM, mono. */
export function wavOf(parts: readonly Int16Array<ArrayBuffer>[], sampleRate: number): Blob {
  const bytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const header = new DataView(new ArrayBuffer(HEADER_BYTES))
  const write = (at: number, text: string): void => {
    for (let index = 0; index < text.length; index += 1) header.setUint8(at + index, text.charCodeAt(index))
  }
  write(0, 'RIFF')
  header.setUint32(4, HEADER_BYTES - 8 + bytes, true)
  write(8, 'WAVEfmt ')
  header.setUint32(16, 16, true)
  header.setUint16(20, 1, true)
  header.setUint16(22, 1, true)
  header.setUint32(24, sampleRate, true)
  header.setUint32(28, sampleRate * BYTES_A_SAMPLE, true)
  header.setUint16(32, BYTES_A_SAMPLE, true)
  header.setUint16(34, 8 * BYTES_A_SAMPLE, true)
  write(36, 'data')
  header.setUint32(40, bytes, true)
  return new Blob([header.buffer, ...parts], { type: 'audio/wav' })
}
