/** The pointer or key that began a press. The same one ends it. */
export type PressStart =
  | { readonly pointerId: number }
  | { readonly code: string }
  // Toggle: the next click ends it.
  | undefined

/** The left button, or a contact of a finger or a pen. */
const PRIMARY = 1

/**
 * One press of a button at a time. Each press ends exactly once. The window of the button has the listeners,
 * because a button that was disabled or removed gets no events. It may be another one than the page's: a
 * frame, a popup or a picture-in-picture window, into which React has rendered the button by a portal.
 */
export function createPress() {
  let current:
    { readonly by: PressStart; readonly listening: AbortController; readonly onEnd: () => void } | undefined

  /** Ends the press without its `onEnd`. */
  function forget(): void {
    current?.listening.abort()
    current = undefined
  }

  /** Returns false if there was no press. */
  function end(): boolean {
    const ended = current
    forget()
    ended?.onEnd()
    return ended !== undefined
  }

  /** Ends a press of the other mode: what would end it does not come in this one. */
  function keepIf(mode: 'hold' | 'toggle'): void {
    if (current && (current.by === undefined) !== (mode === 'toggle')) end()
  }

  function begin(button: Element, by: PressStart, onEnd: () => void): void {
    const listening = new AbortController()
    current = { by, listening, onEnd }
    const { signal } = listening
    const { ownerDocument } = button
    const view = ownerDocument.defaultView ?? window
    const endIf = (types: readonly string[], isOver: (event: Event) => boolean): void => {
      for (const type of types)
        view.addEventListener(type, (event) => void (isOver(event) && end()), { capture: true, signal })
    }
    // Its window is closed or left, or the page is, whose code would no longer run.
    for (const one of [view, window]) one.addEventListener('pagehide', () => void end(), { signal })
    // `document.open()` removes all of these listeners, and the root of the document.
    const written = new MutationObserver(() => void end())
    written.observe(ownerDocument, { childList: true })
    signal.addEventListener('abort', () => written.disconnect())
    endIf(['visibilitychange'], () => ownerDocument.hidden)
    if (!by) return
    endIf(['blur'], ({ target }) => target === view || target === button)
    if ('code' in by) {
      // macOS sends no `keyup` of a key while Command is down.
      endIf(['keydown'], (event) => (event as KeyboardEvent).key === 'Meta')
      endIf(['keyup'], (event) => {
        const isOver = (event as KeyboardEvent).code === by.code
        // The browser would make it a click.
        if (isOver) event.preventDefault()
        return isOver
      })
      return
    }
    const isSame = (event: Event): boolean => (event as PointerEvent).pointerId === by.pointerId
    endIf(['pointerup', 'pointercancel', 'lostpointercapture'], isSame)
    // No `pointerup` comes while another mouse button is still down.
    endIf(['pointermove'], (event) => isSame(event) && ((event as PointerEvent).buttons & PRIMARY) === 0)
  }

  return { begin, end, forget, keepIf, isHeld: (): boolean => current !== undefined }
}
