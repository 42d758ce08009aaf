type CloseFacts = Required<Pick<CloseEventInit, 'code' | 'reason' | 'wasClean'>>

/** The browser's own event; Node 20 and 22 have none. */
export function closeEvent(facts: CloseFacts): Event {
  if (typeof CloseEvent === 'function') return new CloseEvent('close', facts)
  return Object.assign(new Event('close'), facts)
}
