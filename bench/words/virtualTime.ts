import { JSDOM } from 'jsdom'
import { virtualClock } from '@stagepass/testing/virtualClock'

/*
 * A page of Node whose time is a virtual clock: its timers, `Date` and `performance.now`. What else takes turns
 * of the event loop, such as a message, takes no time.
 */

/** 2026, because tokens have dates. */
const START_MS = Date.UTC(2026, 0, 1)

export const clock = virtualClock(START_MS)

type Task = (...args: unknown[]) => void

const RealDate = Date
class VirtualDate extends RealDate {
  constructor(...given: []) {
    super(...((given.length === 0 ? [clock.now()] : given) as []))
  }
  static override now = (): number => clock.now()
}

let last = 0
const stops = new Map<number, () => void>()
function start(task: Task, ms: number, args: unknown[], isRepeated: boolean): number {
  const id = (last += 1)
  const begin = (): void =>
    void stops.set(
      id,
      clock.after(Math.max(1, ms), () => {
        stops.delete(id)
        if (isRepeated) begin()
        task(...args)
      }),
    )
  begin()
  return id
}
function stop(id: number): void {
  stops.get(id)?.()
  stops.delete(id)
}

const { window } = new JSDOM('', { url: 'https://page.invalid', pretendToBeVisual: false })
const globals = {
  Date: VirtualDate,
  setTimeout: (task: Task, ms = 0, ...args: unknown[]) => start(task, ms, args, false),
  setInterval: (task: Task, ms = 0, ...args: unknown[]) => start(task, ms, args, true),
  clearTimeout: stop,
  clearInterval: stop,
  window,
  document: window.document,
  navigator: window.navigator,
  Node: window.Node,
  HTMLElement: window.HTMLElement,
}
for (const [name, value] of Object.entries(globals))
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
performance.now = () => clock.now() - START_MS
