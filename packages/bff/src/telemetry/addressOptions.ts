import type { ReportedRoute } from './events.js'

/** The option with the address to which a route sends its requests. The others send none. */
export const ADDRESS_OPTIONS = {
  'session-token': 'baseUrl',
  'handshake-check': 'streamingUrl',
  meetings: 'meetings.baseUrl',
  meeting: 'meetings.baseUrl',
  tags: 'meetings.baseUrl',
  request: 'meetings.baseUrl',
  usage: undefined,
  'usage-report': undefined,
  vitals: undefined,
  session: undefined,
  'session-renewal': undefined,
  'session-release': undefined,
  health: undefined,
  unknown: undefined,
} as const satisfies Record<ReportedRoute, string | undefined>
