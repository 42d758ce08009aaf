/**
 * Request header of the BFF, with the value `1`; any other value counts as missing. No form, image or link can
 * send a header, so a request that has it comes from code of a page.
 */
export const GATE_HEADER = 'x-stagepass'

/**
 * Optional request header of the BFF: the user for whom the page sends the request, as
 * `encodeText(id)`, so that any id is a valid header. If the grant is for another user, the response
 * is 403 USER_CHANGED.
 */
export const USER_HEADER = 'x-stagepass-user'

/**
 * Response header of the BFF: its `deadlineMs`, in milliseconds, if it is longer than the default. The page then
 * waits as long as the BFF works.
 */
export const DEADLINE_HEADER = 'x-stagepass-deadline'

/** Default of `deadlineMs`, in milliseconds. */
export const DEFAULT_DEADLINE_MS = 10_000

/**
 * `Accept` of a `POST /session-token` that also asks for a session. A browser sends it to another origin without
 * a preflight of its own.
 */
export const WITH_LEASE = 'application/json; lease=1'
