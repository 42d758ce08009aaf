import { type MeetingsErrorCode, MEETINGS_ERRORS } from '@stagepass/contract'
import { MEETINGS_MESSAGES } from '@stagepass/contract/titles'
import type { HttpResponse } from '../request/http.js'

/** `{ error }`. (Assumptions: "Meetings error body".) */
export function formatMeetingsError(
  code: MeetingsErrorCode,
  message = MEETINGS_MESSAGES[code],
): HttpResponse {
  return { status: MEETINGS_ERRORS[code].status, body: { error: message } }
}
