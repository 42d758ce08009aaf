/** Virtual time. */
export interface VirtualTime {
  now(): number
  at(atMs: number, task: () => void): void
  run(untilMs: number): Promise<void>
}

interface Task {
  readonly atMs: number
  readonly task: () => void
}

export function createVirtualTime(): VirtualTime {
  /** In the order in which they come due. */
  const entries: Task[] = []
  let nowMs = 0

  return {
    now: () => nowMs,
    at(atMs, task) {
      const entry = { atMs: Math.max(nowMs, atMs), task }
      let low = 0
      let high = entries.length
      while (low < high) {
        const middle = (low + high) >> 1
        if ((entries[middle]?.atMs ?? 0) <= entry.atMs) low = middle + 1
        else high = middle
      }
      entries.splice(low, 0, entry)
    },
    async run(untilMs) {
      for (let next = entries[0]; next !== undefined && next.atMs <= untilMs; next = entries[0]) {
        entries.shift()
        nowMs = next.atMs
        next.task()
        // Lets all end that it set off within the same instant.
        await new Promise((resolve) => setImmediate(resolve))
      }
      nowMs = untilMs
    },
  }
}
