import { readdirSync, readFileSync } from 'node:fs'

const TICK_MS = 10

/** The processor time of a process and of those that it has started. It reads `/proc`, so only on Linux. */
export function processorMs(root: number): number {
  const parents = new Map<number, number>()
  const ticks = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    try {
      // "pid (name) state parent …". The name may contain spaces and brackets.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
      parents.set(pid, Number(fields[1]))
      ticks.set(pid, Number(fields[11]) + Number(fields[12]))
    } catch {
      // It has ended.
    }
  }
  let sum = 0
  for (const [pid, own] of ticks) {
    let ancestor: number | undefined = pid
    while (ancestor !== undefined && ancestor !== root) ancestor = parents.get(ancestor)
    if (ancestor === root) sum += own * TICK_MS
  }
  return sum
}
