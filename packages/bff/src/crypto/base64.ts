const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const CODES = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0))
const PADDING = '='.charCodeAt(0)

const ascii = new TextDecoder()

/** Base64 with padding. Node 20 has no `toBase64`, and its `btoa` takes five times as long. */
export function toBase64(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4)
  let to = 0
  for (let from = 0; from < bytes.length; from += 3) {
    const [a = 0, b = 0, c = 0] = [bytes[from], bytes[from + 1], bytes[from + 2]]
    text[to++] = CODES[a >> 2] ?? 0
    text[to++] = CODES[((a & 3) << 4) | (b >> 4)] ?? 0
    text[to++] = from + 1 < bytes.length ? (CODES[((b & 15) << 2) | (c >> 6)] ?? 0) : PADDING
    text[to++] = from + 2 < bytes.length ? (CODES[c & 63] ?? 0) : PADDING
  }
  return ascii.decode(text)
}

/** Base64 for addresses and keys: without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
