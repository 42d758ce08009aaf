type Data = string | Uint8Array

/**
 * The line of one connection, between the client and the product's stream.
 *
 * - up: messages pass.
 * - mute: the service takes messages and throws them away, and sends none.
 * - dark: the network is gone. Messages of both sides wait, and arrive when it is back.
 */
export function createLine(receive: (data: Data) => void, send: (data: Data) => void) {
  let mutes = 0
  let isDark = false
  let held: (() => void)[] = []

  const pass = (act: (data: Data) => void, data: Data): void => {
    if (isDark) held.push(() => pass(act, data))
    else if (mutes === 0) act(data)
  }

  return {
    received: (data: Data): void => pass(receive, data),
    send: (data: Data): void => pass(send, data),
    /** Mutes the line until the returned function is called. */
    mute(): () => void {
      mutes += 1
      let isOver = false
      return () => {
        if (!isOver) mutes -= 1
        isOver = true
      }
    },
    setDark(dark: boolean): void {
      isDark = dark
      const waiting = isDark ? [] : held
      if (!isDark) held = []
      for (const act of waiting) act()
    },
  }
}
