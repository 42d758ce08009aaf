/** Runs each task later, as a separate task of the event loop, in order. */
export type RunLater = (task: () => void) => void

/**
 * A network event is a task of the page. Timers are not suitable: browsers slow them down in hidden pages,
 * and tests replace them.
 */
export function createTasks(): RunLater {
  // A page that Jest simulates has no `MessageChannel`.
  if (typeof MessageChannel === 'undefined') return (task) => void setTimeout(task)
  const { port1, port2 } = new MessageChannel()
  const waiting: (() => void)[] = []

  // In Node a referenced port keeps the process alive, so it is referenced only while a task waits.
  const hold = (isHeld: boolean): void => {
    const port = port1 as { ref?: () => void; unref?: () => void }
    if (isHeld) port.ref?.()
    else port.unref?.()
  }
  port1.addEventListener('message', () => {
    const task = waiting.shift()
    if (waiting.length === 0) hold(false)
    task?.()
  })
  port1.start()
  hold(false)

  return (task) => {
    if (waiting.length === 0) hold(true)
    waiting.push(task)
    port2.postMessage(null)
  }
}
