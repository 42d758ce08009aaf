import { readSecretFile } from '../settings/texts.js'

/**
 * Interval between two reads of the files. They are polled, because Kubernetes replaces the folder of a
 * secret, and file watchers do not notice that.
 */
const LOOK_AGAIN_MS = 5_000

/** Calls `onChange` when the content of a file has changed. Returns a function that stops watching. */
export function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  everyMs = LOOK_AGAIN_MS,
): () => void {
  if (paths.length === 0) return () => undefined
  const read = (): string => JSON.stringify(paths.map(readOrNothing))
  let before = read()
  const timer = setInterval(() => {
    const now = read()
    if (now === before) return
    before = now
    onChange()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

function readOrNothing(path: string): string | null {
  try {
    return readSecretFile(path)
  } catch {
    return null
  }
}
