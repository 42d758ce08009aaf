import type { Product } from '@stagepass/contract'
import type { Body, Endpoint, HttpRequest, HttpResponse, Query } from '../request/http.js'

/**
 * One operation of the HTTP interface. A route responds at once, from the store. Delays, faults and the
 * transport are handled outside of it.
 */
export interface Route {
  readonly endpoint: Exclude<Endpoint, 'handshake'>
  readonly method: 'GET' | 'POST'
  /** Each path has at most one `{id}`. */
  readonly paths: readonly string[]
  /**
   * The product of a request, for faults that are limited to a product. Omitted if requests have no product.
   */
  productOf?(body: Body): Product | undefined
  /** True for a page after the first one. Omitted if there are no pages. */
  hasCursor?(query: Query): boolean
  /** `id` is the raw text for `{id}`, not decoded. Throws `Refused`. */
  respond(request: HttpRequest, id: string): HttpResponse
}

export interface Matched {
  readonly route: Route
  /** The raw text for `{id}`. Empty for a path without `{id}`. */
  readonly id: string
}

/** Finds the route of a path. Exact paths come first. */
export function createMatcher(routes: readonly Route[]): (path: string) => Matched | undefined {
  const exact = new Map(routes.flatMap((route) => route.paths.map((path) => [path, route] as const)))

  return (path) => {
    const found = exact.get(path)
    if (found) return { route: found, id: '' }
    for (const [pattern, route] of exact) {
      const [before = '', after] = pattern.split('{id}')
      if (after === undefined || !path.startsWith(before) || !path.endsWith(after)) continue
      const id = path.slice(before.length, path.length - after.length)
      if (id !== '' && !id.includes('/')) return { route, id }
    }
    return undefined
  }
}
