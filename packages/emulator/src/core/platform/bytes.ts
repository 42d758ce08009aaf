export function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

export function decodeUtf8(bytes: Uint8Array): string {
  // Without this flag a byte order mark would be removed.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** The number of bytes of the text in UTF-8. Counts without encoding it. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at += 1) {
    const point = text.codePointAt(at) ?? 0
    // A code point above this is two units of the string.
    if (point > 0xffff) at += 1
    bytes += 1 + Number(point > 0x7f) + Number(point > 0x7ff) + Number(point > 0xffff)
  }
  return bytes
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Base64url of the text in UTF-8, without padding. */
export function toBase64Url(text: string): string {
  const binary = Array.from(encodeUtf8(text), (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Throws if the text is not base64url. */
export function fromBase64Url(text: string): string {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return decodeUtf8(Uint8Array.from(binary, (character) => character.charCodeAt(0)))
}
