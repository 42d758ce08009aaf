/** Those of the BFF that a page finds itself, before it sends a request. */
export const SHARED_TITLES = {
  VALIDATION_ERROR: 'The request is not valid.',
  UNAUTHENTICATED: 'Sign in to use this.',
} as const
