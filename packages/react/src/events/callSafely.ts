/** An error of a listener must not stop what follows. It is reported, as that of an event listener is. */
export function callSafely(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
