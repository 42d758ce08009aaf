/** A WAV file of 16-bit PCM, little-endian, mono: a header of 44 bytes, and the samples. */
export function createWav(parts: readonly ArrayBuffer[], sampleRate: number): Uint8Array<ArrayBuffer> {
  const size = parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const bytes = new Uint8Array(44 + size)
  const header = new DataView(bytes.buffer)
  const text = (at: number, letters: string): void =>
    bytes.set(
      Array.from(letters, (letter) => letter.charCodeAt(0)),
      at,
    )
  text(0, 'RIFF')
  header.setUint32(4, 36 + size, true)
  text(8, 'WAVEfmt ')
  header.setUint32(16, 16, true) // size of the format
  header.setUint16(20, 1, true) // PCM
  header.setUint16(22, 1, true) // channels
  header.setUint32(24, sampleRate, true)
  header.setUint32(28, sampleRate * 2, true) // bytes a second
  header.setUint16(32, 2, true) // bytes a sample
  header.setUint16(34, 16, true) // bits a sample
  text(36, 'data')
  header.setUint32(40, size, true)
  let at = 44
  for (const part of parts) {
    bytes.set(new Uint8Array(part), at)
    at += part.byteLength
  }
  return bytes
}
