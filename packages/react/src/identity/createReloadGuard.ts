import { inStorage } from '../platform/inStorage.js'
import type { Platform } from '../platform/platform.js'

/** A reload and its first request take less, also on a slow machine. */
const PAUSE_MS = 10_000

/**
 * Detects that an application answers USER_CHANGED with the same user, for example because it reloads the
 * page and its cache on disk still names the user from before. Without this the page would reload forever.
 */
export interface ReloadGuard {
  /**
   * Call it at each USER_CHANGED. Returns true if less than ten seconds have passed since the one before and
   * no request has succeeded between them. Counts over reloads of the page.
   */
  readonly isRepeated: () => boolean
  /** The BFF has served the user. */
  readonly forget: () => void
}

export function createReloadGuard(url: string, platform: Platform): ReloadGuard {
  const key = `stagepass.userChanged ${url}`
  // Without a session storage, or if the browser forbids it, only this page counts.
  let lastAt = 0
  return {
    isRepeated() {
      const stored = inStorage('sessionStorage', (storage) => Number(storage.getItem(key)))
      const passedMs = platform.wallNow() - (stored || lastAt)
      lastAt = platform.wallNow()
      inStorage('sessionStorage', (storage) => storage.setItem(key, String(lastAt)))
      return passedMs >= 0 && passedMs < PAUSE_MS
    },
    forget() {
      lastAt = 0
      inStorage('sessionStorage', (storage) => storage.removeItem(key))
    },
  }
}
