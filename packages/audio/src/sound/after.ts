/** A browser fires a timer of more milliseconds at once. */
const LONGEST_MS = 2 ** 31 - 1

// eslint-disable-next-line no-restricted-globals -- only its type
export type Timer = ReturnType<typeof setTimeout>

/** `setTimeout` for any time: a timer of more than 24.8 days fires after these. */
export function after(callback: () => void, ms: number): Timer {
  // eslint-disable-next-line no-restricted-globals -- the one place that sets a timer
  return setTimeout(callback, Math.min(ms, LONGEST_MS))
}
