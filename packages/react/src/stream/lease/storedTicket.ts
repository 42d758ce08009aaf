/**
 * The place in the queue of a page that is loaded again. It is stored only from `pagehide` to the next load, so
 * that a duplicated tab has none.
 */
export function storedTicket(name: string) {
  const key = `stagepass.ticket ${name}`
  return {
    keep: (ticket: string): void => withStorage((storage) => storage.setItem(key, ticket)),
    /** Returns the ticket, and removes it. */
    take(): string | undefined {
      let ticket: string | null = null
      withStorage((storage) => {
        ticket = storage.getItem(key)
        storage.removeItem(key)
      })
      return ticket ?? undefined
    },
  }
}

/** A phone has no such storage, and a browser may forbid it. */
function withStorage(act: (storage: Storage) => void): void {
  try {
    act(sessionStorage)
  } catch {
    // The page asks for another place.
  }
}
