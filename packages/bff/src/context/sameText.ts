import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares two texts in constant time. The hashes have equal lengths, which `timingSafeEqual` demands. */
export function sameText(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(a), hash(b))
}
