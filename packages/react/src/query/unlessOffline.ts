import { onlineManager } from '@tanstack/react-query'

/**
 * Resolves with the result of a fetch, or with `undefined` as soon as the browser is offline: TanStack Query
 * keeps the promise of a paused fetch pending until the network is back, and then continues by itself.
 */
export function unlessOffline<TResult>(fetching: Promise<TResult>): Promise<TResult | undefined> {
  let unsubscribe: (() => void) | undefined
  const offline = new Promise<undefined>((resolve) => {
    const check = (): void => {
      if (!onlineManager.isOnline()) resolve(undefined)
    }
    unsubscribe = onlineManager.subscribe(check)
    check()
  })
  return Promise.race([fetching, offline]).finally(unsubscribe)
}
