interface Held {
  readonly name: string
  readonly mode: LockMode
  readonly clientId: string
}
interface Waiting extends Held {
  grant(): void
}

/** Web Locks in memory, as the specification has them: Node 20 and jsdom have none. */
export function createLocks() {
  let held: Held[] = []
  let pending: Waiting[] = []

  function grantNext(): void {
    for (const next of pending) {
      const before = pending.slice(0, pending.indexOf(next))
      const isTaken = [...held, ...before].some(
        ({ name, mode }) => name === next.name && (mode === 'exclusive' || next.mode === 'exclusive'),
      )
      if (isTaken) continue
      pending = pending.filter((one) => one !== next)
      held.push(next)
      next.grant()
    }
  }

  async function request<T>(
    name: string,
    { mode = 'exclusive', signal }: LockOptions,
    act: (lock: Lock) => T | Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted()
    const own = await new Promise<Held>((resolve, reject) => {
      const waiting: Waiting = { name, mode, clientId: 'page', grant: () => resolve(waiting) }
      pending.push(waiting)
      signal?.addEventListener('abort', () => {
        if (!pending.includes(waiting)) return
        pending = pending.filter((one) => one !== waiting)
        reject(signal.reason as Error)
        grantNext()
      })
      grantNext()
    })
    try {
      return await act(own)
    } finally {
      held = held.filter((one) => one !== own)
      grantNext()
    }
  }

  return {
    request,
    query: (): Promise<LockManagerSnapshot> => Promise.resolve({ held: [...held], pending: [...pending] }),
    /** The locks that are held, each with its mode. */
    held: (): string[] => held.map(({ name, mode }) => `${mode} ${name}`),
    /** How many wait for one. */
    pending: (): number => pending.length,
  }
}
