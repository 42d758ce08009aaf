import { inStorage } from '../../platform/inStorage.js'

/**
 * The place in the queue of a page that is loaded again. It is stored only from `pagehide` to the next load, so
 * that a duplicated tab has none.
 */
export function storedTicket(name: string) {
  const key = `stagepass.ticket ${name}`
  return {
    keep: (ticket: string): void => inStorage('sessionStorage', (storage) => storage.setItem(key, ticket)),
    /** Returns the ticket, and removes it. */
    take: (): string | undefined =>
      inStorage('sessionStorage', (storage) => {
        const ticket = storage.getItem(key) ?? undefined
        storage.removeItem(key)
        return ticket
      }),
  }
}
