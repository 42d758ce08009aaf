import type { IncomingRequest } from '../http/IncomingRequest.js'

const HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
] as const

/** The name of a header that shows that the request came through a proxy. Its value is not trusted. */
export const proxyHeader = (request: IncomingRequest): string | undefined =>
  HEADERS.find((name) => request.header(name) !== undefined)
