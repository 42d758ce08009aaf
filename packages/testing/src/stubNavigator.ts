import { vi } from 'vitest'

/**
 * Gives the page's navigator other properties until `vi.unstubAllGlobals`. What is not named stays the
 * navigator's own, and works: a getter such as `onLine` refuses an object that only inherits from the
 * navigator.
 */
export function stubNavigator(own: object): void {
  const withOwn = new Proxy(navigator, {
    get: (page, name): unknown => Reflect.get(name in own ? own : page, name),
  })
  vi.stubGlobal('navigator', withOwn)
}
