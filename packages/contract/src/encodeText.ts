/**
 * The text with U+FFFD for each lone half of an emoji, as a URL, UTF-8 and a WebSocket write it. The same as
 * `toWellFormed`, which Safari 16.3 and older browsers do not have.
 */
export function wellFormed(text: string): string {
  // With the flag `u` a pair is one character, which the class does not match.
  return text.replaceAll(/[\ud800-\udfff]/gu, '\ufffd')
}

/**
 * `encodeURIComponent` for any text. Alone it throws a `URIError` for half of an emoji, such as a text that
 * was cut by its length.
 */
export function encodeText(text: string): string {
  // oxlint-disable-next-line no-restricted-globals -- This is the one place.
  return encodeURIComponent(wellFormed(text))
}
