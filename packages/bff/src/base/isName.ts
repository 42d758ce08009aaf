/** Words of letters in one case. */
const NAME = /^(?:[a-z]{1,16}(?:[/_.+-][a-z]{1,16}){0,5}|[A-Z]{1,16}(?:_[A-Z]{1,16}){0,5})$/

/**
 * True for a word of the service that may be printed: the name of a media type, a coding, a host or a state,
 * such as `application/json`. It has no digit, no long word and one case, so no secret has this form.
 * (security.md, S60.)
 */
export const isName = (text: string): boolean => NAME.test(text)
