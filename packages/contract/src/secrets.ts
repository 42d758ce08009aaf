import { encodeText, wellFormed } from './encodeText.js'

/** A shorter text is found in many words, and is no secret of a service. */
const SHORTEST_FORM = 4

/** The parts of a UUID without dashes. */
const HEX = /^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/i

/**
 * Returns a secret in each form in which a library or a service may print it: as it is, percent-encoded, in
 * JSON, hexadecimal and base64, also inside the base64 of a longer text, and an id with and without dashes.
 * Each form once, and none with fewer letters than `SHORTEST_FORM`.
 */
export function formsOfSecret(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
  const percent = new URLSearchParams([['', secret]]).toString().slice(1)
  const escaped = encodeText(secret)
  const all = [
    ...[secret, secret.replaceAll('-', ''), secret.replace(HEX, '$1-$2-$3-$4-$5')].flatMap((text) => [
      text,
      text.toLowerCase(),
      text.toUpperCase(),
    ]),
    JSON.stringify(secret).slice(1, -1),
    escaped,
    percent,
    percent.replaceAll('+', '%20'),
    encodeURI(wellFormed(secret)),
    ...[escaped, percent].map((text) => text.replaceAll(/%../g, (code) => code.toLowerCase())),
    hex.join(''),
    hex.join('').toUpperCase(),
    ...[hex, hex.map((code) => code.toUpperCase())].map((codes) => codes.map((code) => `%${code}`).join('')),
    ...[0, 1, 2].flatMap((shift) => base64Of(bytes, shift)),
  ]
  return [...new Set(all)].filter((form) => form.length >= SHORTEST_FORM)
}

/**
 * The letters of base64 that depend on the secret alone, if it begins `shift` bytes after a multiple of
 * three: with the usual letters and with those for addresses.
 */
function base64Of(bytes: Uint8Array, shift: number): string[] {
  const text = '\0'.repeat(shift) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  const whole = btoa(text).slice(Math.ceil((shift * 8) / 6), Math.floor((text.length * 8) / 6))
  return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')]
}

/**
 * Removes quotation marks around a whole value of the environment. A shell and Docker Compose remove those of
 * an env file, and `docker run --env-file` keeps them.
 */
export const withoutQuotes = (text: string): string => /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text

/**
 * True for a secret that was copied with the scheme before it, as a header has it: `Bearer x`, `api-key x`.
 * Every sender adds the scheme itself.
 */
export const hasScheme = (secret: string): boolean =>
  /^(?:authorization\s*:|(?:bearer|api-key|basic|token)\s)/i.test(secret)
