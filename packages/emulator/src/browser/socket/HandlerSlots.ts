/** What was set under a type is given back under it. */
// oxlint-disable-next-line typescript/no-explicit-any -- each handler has the type of its own event
type Handler = ((this: WebSocket, event: any) => unknown) | null

interface Slot {
  handler: Exclude<Handler, null>
  readonly listener: (event: Event) => void
}

/**
 * The `on…` properties of an EventTarget: each keeps its place among the listeners as long as it is set.
 * (HTML, "Event handlers".)
 */
export class HandlerSlots {
  readonly #target: EventTarget
  readonly #slots = new Map<string, Slot>()

  constructor(target: EventTarget) {
    this.#target = target
  }

  get(type: string): Handler {
    return this.#slots.get(type)?.handler ?? null
  }

  set(type: string, handler: Handler): void {
    const slot = this.#slots.get(type)
    if (typeof handler !== 'function') {
      if (slot) this.#target.removeEventListener(type, slot.listener)
      this.#slots.delete(type)
    } else if (slot) {
      slot.handler = handler
    } else {
      const listener = (event: Event): void => {
        this.#slots.get(type)?.handler.call(this.#target as WebSocket, event)
      }
      this.#slots.set(type, { handler, listener })
      this.#target.addEventListener(type, listener)
    }
  }
}
