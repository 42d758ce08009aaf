/*
 * The line between a page and its service, with faults, as a relay in the middle has it.
 *
 *   up                          messages pass, after `delayMs`
 *   mute     one connection:    what is sent is taken and thrown away, and nothing comes back
 *   dark     all connections:   the same, and no handshake is answered. When the network is back, they are cut
 */

export interface LineOptions {
  readonly now: () => number
  readonly after: (ms: number, task: () => void) => void
  /** Of each direction. */
  readonly delayMs?: number | undefined
}

/** The two ends of a connection. */
export interface Ends {
  readonly toService: (data: Uint8Array | string) => void
  readonly toPage: (data: Uint8Array | string) => void
  /** Ends both sides. Without a code as a network does. */
  readonly end: (code?: number, reason?: string) => void
}

/** What passed on a connection. */
interface Passed {
  /** The name that the service has for it. */
  readonly id: string
  /** When the sound at this ms of the connection reached the service. */
  readonly arrivedAt: (ms: number) => number
  /** The parts of its sound that are in final texts which the page got. */
  readonly finals: readonly { readonly fromMs: number; readonly toMs: number; readonly at: number }[]
}

/** PCM, 16 kHz, 16 bit. */
const BYTES_A_MS = 32

export type Line = ReturnType<typeof createLine>

export function createLine({ now, after, delayMs = 0 }: LineOptions) {
  const connections: Passed[] = []
  const live = new Set<{ isMute: boolean; readonly ends: Ends }>()
  let isDark = false
  const waiting: (() => void)[] = []

  const later = (task: () => void): void => (delayMs === 0 ? task() : after(delayMs, task))

  function cut(code?: number, reason?: string): void {
    for (const one of live) {
      live.delete(one)
      one.ends.end(code, reason)
    }
  }

  return {
    /** In the order of opening. */
    connections: connections as readonly Passed[],
    /** Resolves when the network is there. */
    ready: (): Promise<void> =>
      new Promise((resolve) => later(() => (isDark ? waiting.push(resolve) : resolve()))),
    /** A connection has opened, at both ends. */
    open(id: string, ends: Ends) {
      const chunks: { readonly fromMs: number; readonly at: number }[] = []
      const finals: { fromMs: number; toMs: number; at: number }[] = []
      connections.push({
        id,
        finals,
        arrivedAt: (ms) => chunks.findLast(({ fromMs }) => fromMs <= ms)?.at ?? 0,
      })
      let heardMs = 0
      const one = { isMute: false, ends }
      live.add(one)
      const pass = (act: () => void): void => later(() => live.has(one) && !one.isMute && !isDark && act())
      return {
        fromPage: (data: Uint8Array | string): void =>
          pass(() => {
            if (typeof data !== 'string') {
              chunks.push({ fromMs: heardMs, at: now() })
              heardMs += data.length / BYTES_A_MS
            }
            ends.toService(data)
          }),
        fromService: (data: Uint8Array | string): void =>
          pass(() => {
            const final = typeof data === 'string' ? timesOf(data) : undefined
            if (final) finals.push({ ...final, at: now() })
            ends.toPage(data)
          }),
        closed: (): void => void live.delete(one),
      }
    },
    reset: (): void => cut(),
    close: (code: number, reason: string): void => cut(code, reason),
    mute(ms: number): void {
      for (const one of live) {
        one.isMute = true
        after(ms, () => (one.isMute = false))
      }
    },
    darken(ms: number): void {
      isDark = true
      after(ms, () => {
        isDark = false
        cut()
        for (const go of waiting.splice(0)) go()
      })
    },
    get isDark(): boolean {
      return isDark
    },
  }
}

/** The sound of a final text of the emulator's `/stt`. */
function timesOf(text: string): { readonly fromMs: number; readonly toMs: number } | undefined {
  const {
    type,
    final,
    start = 0,
    duration = 0,
  } = JSON.parse(text) as {
    type?: string
    final?: boolean
    start?: number
    duration?: number
  }
  if (type !== 'transcript' || final !== true) return undefined
  return { fromMs: start * 1_000, toMs: (start + duration) * 1_000 }
}
