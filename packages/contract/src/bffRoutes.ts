/**
 * The routes of the BFF behind its gate, by their names in events and metrics. `GET /health` is not one of
 * them. A path is relative to the mount; its last part may be `:id`.
 */
export const BFF_ROUTES = {
  'session-token': { method: 'POST', path: '/session-token' },
  meetings: { method: 'GET', path: '/meetings' },
  meeting: { method: 'GET', path: '/meetings/:id' },
  tags: { method: 'GET', path: '/tags' },
  'handshake-check': { method: 'POST', path: '/handshake-check' },
  usage: { method: 'GET', path: '/usage' },
  'usage-report': { method: 'POST', path: '/usage' },
  vitals: { method: 'POST', path: '/vitals' },
  session: { method: 'POST', path: '/sessions' },
  'session-renewal': { method: 'POST', path: '/sessions/:id' },
  'session-release': { method: 'DELETE', path: '/sessions/:id' },
} as const satisfies Record<
  string,
  { readonly method: 'GET' | 'POST' | 'DELETE'; readonly path: `/${string}` }
>
/** A name of `BFF_ROUTES`. */
export type BffRouteName = keyof typeof BFF_ROUTES
