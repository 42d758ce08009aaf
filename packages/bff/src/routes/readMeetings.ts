import { BffError } from '../context/BffError.js'
import type { MeetingsRead } from '../meetings/createMeetingsReader.js'
import type { MeetingsGrant } from '../settings/Grant.js'
import type { RouteRequest, RouteResult, Services } from './Route.js'

/** A route's question to the meetings interface, cut to the grant. */
type UpstreamRead = Pick<MeetingsRead, 'operation' | 'path' | 'canonical' | 'rebuild'>

/**
 * What the three meetings routes share: the grant must allow meetings, `narrow` cuts the request to it, the request counts for the user's
 * limit, and then it is read.
 */
export async function readMeetings(
  { request, context, grant }: RouteRequest,
  { limits, meetings: reader }: Services,
  narrow: (grant: MeetingsGrant) => UpstreamRead,
): Promise<RouteResult> {
  const { user, meetings } = grant
  const emitRefused = (what: 'meetings' | 'ownership') =>
    context.emit?.({ type: 'grant.refused', requestId: context.id, user, what })
  if (!meetings) {
    emitRefused('meetings')
    throw new BffError('FORBIDDEN')
  }
  let read: UpstreamRead
  try {
    read = narrow(meetings)
  } catch (error) {
    if (error instanceof BffError && error.code === 'FORBIDDEN') emitRefused('ownership')
    throw error
  }
  await limits.count('meetingsPerMinute', user, context.id)
  const noCache = /\bno-cache\b/i.test(request.header('cache-control') ?? '')
  return reader.read({ grant: meetings, user, context, noCache, ...read })
}
