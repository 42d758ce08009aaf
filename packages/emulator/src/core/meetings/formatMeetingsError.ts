import type { MeetingsErrorCode } from '@stagepass/contract'
import { hasCode, MEETINGS_ERRORS } from '@stagepass/contract'
import { MEETINGS_MESSAGES } from '@stagepass/contract/titles'
import type { HttpResponse } from '../request/http.js'

/** `{ error }`. (Assumptions: "Meetings error body".) */
export function formatMeetingsError(code: MeetingsErrorCode, message?: string): HttpResponse {
  const row = MEETINGS_ERRORS[code]
  return { status: row.status, body: { error: message ?? MEETINGS_MESSAGES[code] } }
}

/** The response of a fault with this error code. */
export function failMeetings(code: string): HttpResponse {
  return formatMeetingsError(hasCode(MEETINGS_ERRORS, code) ? code : 'CREDENTIAL_INVALID')
}
