import type { MeetingsErrorCode } from '@stagepass/contract'
import { hasCode, MEETINGS_ERRORS } from '@stagepass/contract'
import { MEETINGS_MESSAGES } from '@stagepass/contract/titles'
import type { Answer } from '../request/http.js'

/** `{ error }`. (Assumptions: "Meetings error body".) */
export function formatMeetingsError(code: MeetingsErrorCode, message?: string): Answer {
  const row = MEETINGS_ERRORS[code]
  return { status: row.status, body: { error: message ?? MEETINGS_MESSAGES[code] } }
}

/** For a fault that names a code. */
export function failMeetings(code: string): Answer {
  return formatMeetingsError(hasCode(MEETINGS_ERRORS, code) ? code : 'CREDENTIAL_INVALID')
}
