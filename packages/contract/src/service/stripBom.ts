const BYTE_ORDER_MARK = 0xfeff

/**
 * Returns the text without a byte order mark at its beginning. Some services write one before their JSON,
 * which `JSON.parse` refuses and a reader may skip. (RFC 8259, section 8.1.)
 */
export const stripBom = (text: string): string =>
  text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
