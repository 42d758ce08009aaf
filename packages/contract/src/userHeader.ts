/**
 * Optional request header of the BFF: the user for whom the page sends the request, as
 * `encodeText(id)`, so that any id is a valid header. If the grant is for another user, the response
 * is 403 USER_CHANGED.
 */
export const USER_HEADER = 'x-stagepass-user'
