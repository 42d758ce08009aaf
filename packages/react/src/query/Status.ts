import type { VoiceError } from '../errors/VoiceError.js'

/*
 * A status and its flags, with the words of TanStack Query. `error` is set only if the status is `'error'`.
 */

export interface PendingStatus {
  readonly status: 'pending'
  readonly isPending: true
  readonly isSuccess: false
  readonly isError: false
  readonly error: null
}

export interface SuccessStatus {
  readonly status: 'success'
  readonly isPending: false
  readonly isSuccess: true
  readonly isError: false
  readonly error: null
}

export interface ErrorStatus {
  readonly status: 'error'
  readonly isPending: false
  readonly isSuccess: false
  readonly isError: true
  readonly error: VoiceError
}

/** A status with its flags, without the error. */
export const statusFlags = (status: 'pending' | 'success' | 'error') => ({
  status,
  isPending: status === 'pending',
  isSuccess: status === 'success',
  isError: status === 'error',
})
