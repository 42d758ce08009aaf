import { isVoiceError, VoiceError, type VoiceErrorDetails } from '../errors/VoiceError.js'

/** True if the service no longer knows the place where the next page begins. */
export function isDeadCursor(error: unknown): error is VoiceError {
  return isVoiceError(error, 'VALIDATION_ERROR') && error.field === 'cursor'
}

/** The error of a page that cannot be loaded from here. The list can be loaded again from its start. */
export function deadCursorError(cause: VoiceError): VoiceError {
  const details: VoiceErrorDetails = cause
  return new VoiceError('VALIDATION_ERROR', {
    ...details,
    message: 'The list has changed, so its next page cannot be loaded. Load the list again.',
    retryable: false,
    cause,
    hint: undefined, // that of `seen`
    seen:
      process.env.NODE_ENV === 'production'
        ? undefined
        : 'The voice service refused the cursor of the next page: it has expired, or belongs to another list. `useMeetings` has loaded the list again once. With `meetingsOptions` call `refetch`.',
  })
}
