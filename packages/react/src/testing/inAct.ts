import * as React from 'react'

/**
 * Changes what a page shows, as `act` of the test does it: without it React warns of a change that the test
 * has not awaited. A page without a test, such as a story, has no `act`.
 */
export function inAct(change: () => void): void {
  const isTest = (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT === true
  // React 18.2 and production builds have none.
  const { act } = React as { readonly act?: (change: () => void) => void }
  if (isTest && act) act(change)
  else change()
}

/** The same object, whose functions change the page in `act`. */
export const actsInAct = <TPart extends object>(part: TPart): TPart =>
  new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        let result: unknown
        inAct(() => {
          result = Reflect.apply(value, target, args)
        })
        return result
      }
    },
  })
