interface Entry {
  handler: object
  readonly listener: EventListener
}

const entriesOf = new WeakMap<EventTarget, Map<string, Entry>>()

/** Defines properties such as `onopen`, which behave as those of a browser, for these types of events. */
export function defineHandlers(prototype: EventTarget, types: readonly string[]): void {
  for (const type of types)
    Object.defineProperty(prototype, `on${type}`, {
      get(this: EventTarget) {
        return entriesOf.get(this)?.get(type)?.handler ?? null
      },
      set(this: EventTarget, given: unknown) {
        handle(this, type, given)
      },
      enumerable: true,
      configurable: true,
    })
}

/** A handler that replaces another one keeps its place among the listeners, as in a browser. */
function handle(target: EventTarget, type: string, given: unknown): void {
  const entries = entriesOf.get(target) ?? new Map<string, Entry>()
  entriesOf.set(target, entries)
  const isObject = typeof given === 'function' || (typeof given === 'object' && given !== null)
  const handler = isObject ? given : null
  const last = entries.get(type)
  if (last && handler) {
    last.handler = handler
    return
  }
  if (last) {
    target.removeEventListener(type, last.listener)
    entries.delete(type)
  }
  if (!handler) return
  const entry = {
    handler,
    listener: (event: Event): void => {
      if (typeof entry.handler === 'function') entry.handler.call(target, event)
    },
  }
  entries.set(type, entry)
  target.addEventListener(type, entry.listener)
}
