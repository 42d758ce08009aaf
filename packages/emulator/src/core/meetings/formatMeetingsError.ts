import { type MeetingsErrorCode, MEETINGS_ERRORS } from '@stagepass/contract'
import type { HttpResponse } from '../request/http.js'

/** `{ error }`. (Assumptions: "Meetings error body".) */
export function formatMeetingsError(
  code: MeetingsErrorCode,
  message: string = MEETINGS_ERRORS[code].title,
): HttpResponse {
  return { status: MEETINGS_ERRORS[code].status, body: { error: message } }
}
