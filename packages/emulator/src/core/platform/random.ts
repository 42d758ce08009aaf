/**
 * Random numbers from a seed. Two emulators with the same seed have the same keys, ids, meetings and jitter.
 */
export interface Random {
  /** A number from 0 to less than 1. */
  next(): number
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number
  /** Picks an item. The list must not be empty. */
  pick<T>(list: readonly T[]): T
  /** A text of letters and digits. */
  text(length: number): string
  /** Starts again from the seed. */
  reset(): void
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Mulberry32: 32 bits of state are enough for test data. It is not safe for real secrets, but the emulator's
 * keys are not secrets.
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    int,
    // The cast: the index is inside the list, and the item itself may be null.
    pick: (list) => list[int(0, list.length - 1)] as (typeof list)[number],
    text(length) {
      let text = ''
      while (text.length < length) text += ALPHABET[int(0, ALPHABET.length - 1)]
      return text
    },
    reset() {
      state = seed >>> 0
    },
  }
}

/**
 * A number for any text, the same on every machine (FNV-1a). A different `offset` gives an independent
 * number.
 */
export function hashText(text: string, offset = 0x811c9dc5): number {
  let hash = offset
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}
