import { readSecretFile } from '../settings/texts.js'

/**
 * Interval between two reads of the files. They are polled, because Kubernetes replaces the folder of a
 * secret, and file watchers do not notice that.
 */
const LOOK_AGAIN_MS = 5_000

/**
 * Calls `onChange` when the content of a file has changed, and waits for it before it looks again. `known`:
 * each path with the content that is in use. Returns a function that stops watching.
 */
export function watchFiles(
  known: ReadonlyMap<string, string | undefined>,
  onChange: () => Promise<void>,
  everyMs = LOOK_AGAIN_MS,
): () => void {
  if (known.size === 0) return () => undefined
  const paths = [...known.keys()]
  let before = JSON.stringify([...known.values()])
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    const texts = await Promise.all(paths.map((path) => readSecretFile(path).catch(() => undefined)))
    const now = JSON.stringify(texts)
    if (now !== before && !isStopped) {
      before = now
      await onChange()
    }
    wait()
  }

  function wait(): void {
    if (!isStopped) timer = setTimeout(() => void look(), everyMs).unref()
  }

  wait()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
