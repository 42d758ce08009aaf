import type { Attributes } from '@opentelemetry/api'
import { BFF_ROUTES } from '@stagepass/contract'
import type { ReportedRoute, UpstreamOperation } from '../events.js'
import type { TelemetrySource } from '../Telemetry.js'

/** The methods of HTTP. Spans and metrics contain no other names, because a client can invent any. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT'])

export const methodOf = (method: string): string => (METHODS.has(method) ? method : '_OTHER')

export function pathOf(route: ReportedRoute): string | undefined {
  if (route === 'unknown' || route === 'request') return undefined
  return route === 'health' ? '/health' : BFF_ROUTES[route].path
}

/** Separates the calls of server code from the requests of pages. */
export const viaLabel = ({ via }: { readonly via?: 'server' | undefined }): Attributes =>
  via === undefined ? {} : { 'stagepass.via': via }

/** The name of an account is a label only if the host has listed it: each name multiplies the series. */
export function createAccountLabel(listed: readonly string[]) {
  const labels = new Map(listed.map((account) => [account, { account }] as const))
  return ({ account }: { readonly account: string | undefined }): Attributes =>
    (account === undefined ? undefined : labels.get(account)) ?? {}
}

/** Name and attributes that all requests of an operation share. */
export type Operations = Readonly<
  Record<UpstreamOperation, { readonly name: string; readonly attributes: Attributes }>
>

export function describeOperations(bff: TelemetrySource): Operations {
  const describe = (operation: UpstreamOperation, method = 'GET') => {
    const { hostname, port, protocol } = bff.addressOf(operation)
    return {
      name: `${method} ${operation}`,
      attributes: {
        'http.request.method': method,
        'stagepass.operation': operation,
        'server.address': hostname,
        'server.port': Number(port) || (/^(?:https|wss):$/.test(protocol) ? 443 : 80),
      },
    }
  }
  return {
    'session-token': describe('session-token', 'POST'),
    meetings: describe('meetings'),
    meeting: describe('meeting'),
    tags: describe('tags'),
    request: describe('request', '_OTHER'),
    handshake: describe('handshake'),
  }
}
