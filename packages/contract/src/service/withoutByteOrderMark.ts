/**
 * The text without a byte order mark at its start. Some services and editors write one before JSON, and no
 * JSON parser accepts it. (RFC 8259, 8.1: a parser may ignore it.)
 */
export function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
