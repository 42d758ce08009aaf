import type { Route } from './Route.js'

export interface Matched {
  readonly route: Route
  /** The raw text in place of `{id}`; empty for a path without one. */
  readonly id: string
}

/** Finds the route of a path; the exact ones first. */
export function createMatcher(routes: readonly Route[]): (path: string) => Matched | undefined {
  const exact = new Map(routes.map((route) => [route.path, route]))
  const patterns = routes
    .filter((route) => route.path.includes('{id}'))
    .map((route) => {
      const [before = '', after = ''] = route.path.split('{id}')
      return { route, before, after }
    })

  return (path) => {
    const route = exact.get(path)
    if (route) return { route, id: '' }
    for (const { route, before, after } of patterns) {
      if (!path.startsWith(before) || !path.endsWith(after)) continue
      const id = path.slice(before.length, path.length - after.length)
      if (id !== '' && !id.includes('/')) return { route, id }
    }
    return undefined
  }
}
