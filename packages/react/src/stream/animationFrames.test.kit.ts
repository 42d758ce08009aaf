import { beforeEach, vi } from 'vitest'

/** For the tests of a file: an animation frame comes when `frame` is called. */
export function stubAnimationFrames() {
  const frames = new Map<number, FrameRequestCallback>()
  let lastFrame = 0
  beforeEach(() => {
    frames.clear()
    vi.stubGlobal('requestAnimationFrame', (callback: FrameRequestCallback) => {
      frames.set((lastFrame += 1), callback)
      return lastFrame
    })
    vi.stubGlobal('cancelAnimationFrame', (handle: number) => frames.delete(handle))
    return () => vi.unstubAllGlobals()
  })
  return {
    frame: () => {
      const due = [...frames.values()]
      frames.clear()
      for (const callback of due) callback(0)
    },
    /** Number of callbacks that wait for the next frame. */
    waiting: () => frames.size,
  }
}
