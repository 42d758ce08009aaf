import { BffError } from '../context/BffError.js'
import type { MeetingsRead } from '../meetings/createMeetingsReader.js'
import type { MeetingsGrant } from '../settings/Grant.js'
import type { RouteRequest, Services } from './Route.js'

type Question = Pick<MeetingsRead, 'path' | 'canonical' | 'rebuild'>

/** What the three meetings routes have in common: the grant is asked first, then the question is cut to it, then the user's limit counts. */
export async function openMeetings(
  { req, call, grant }: RouteRequest,
  { limits, emit }: Services,
  ask: (grant: MeetingsGrant) => Question,
): Promise<Omit<MeetingsRead, 'operation'>> {
  const { user, meetings } = grant
  const refuse = (what: 'meetings' | 'ownership') =>
    emit?.({ type: 'grant.refused', requestId: call.id, user, what })
  if (!meetings) {
    refuse('meetings')
    throw new BffError('FORBIDDEN')
  }
  let question: Question
  try {
    question = ask(meetings)
  } catch (error) {
    if (error instanceof BffError && error.code === 'FORBIDDEN') refuse('ownership')
    throw error
  }
  await limits.count('meetingsPerMinute', user, call.id)
  const fresh = /\bno-cache\b/i.test(req.headers['cache-control'] ?? '')
  return { grant: meetings, user, call, fresh, ...question }
}
