/** The most sound that is kept, of all connections together: half an hour. */
const MOST_BYTES = 60_000_000

/** Keeps the sound that each connection has heard. If there is too much, the oldest connection is forgotten. */
export function createHearing() {
  let bytes = 0
  const sounds = new Map<string, Uint8Array[]>()

  const forget = (id: string): void => {
    for (const { length } of sounds.get(id) ?? []) bytes -= length
    sounds.delete(id)
  }

  return {
    add(id: string, sound: Uint8Array): void {
      const parts = sounds.get(id) ?? []
      sounds.set(id, parts)
      // A copy, because a transport may use its memory again.
      parts.push(sound.slice())
      bytes += sound.length
      const [oldest] = sounds.keys()
      if (bytes > MOST_BYTES && oldest !== undefined) forget(oldest)
    },
    /** 16-bit little-endian PCM. The last byte of an odd number of bytes is left out. */
    all: (): Record<string, Int16Array> =>
      Object.fromEntries([...sounds].map(([id, parts]) => [id, joined(parts)])),
    reset(): void {
      sounds.clear()
      bytes = 0
    },
  }
}

function joined(parts: readonly Uint8Array[]): Int16Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  const view = new DataView(all.buffer)
  return Int16Array.from({ length: Math.floor(length / 2) }, (_, index) => view.getInt16(2 * index, true))
}
