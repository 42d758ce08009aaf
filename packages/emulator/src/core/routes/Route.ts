import type { Product } from '@stagepass/contract'
import type { Body, Endpoint, HttpRequest, HttpResponse } from '../request/http.js'

/**
 * One operation of the HTTP interface. Routes respond from the store, at once; delays, faults and transport
 * are outside.
 */
export interface Route {
  readonly endpoint: Exclude<Endpoint, 'handshake'>
  readonly method: 'GET' | 'POST'
  /** Each with at most one `{id}`. */
  readonly paths: readonly string[]
  /** The product that a request is about, for faults limited to one. Left out if there is none. */
  productOf?(body: Body): Product | undefined
  /** `id` is the raw text in place of `{id}`, not decoded. Throws `Refused`. */
  respond(request: HttpRequest, id: string): HttpResponse
}

export interface Matched {
  readonly route: Route
  /** The raw text in place of `{id}`; empty for a path without one. */
  readonly id: string
}

/** Finds the route of a path; the exact ones first. */
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
