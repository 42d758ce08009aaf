/**
 * Response header of the BFF: its `deadlineMs`, in milliseconds, if it is longer than the default. The page then
 * waits as long as the BFF works.
 */
export const DEADLINE_HEADER = 'x-stagepass-deadline'

/** Default of `deadlineMs`, in milliseconds. */
export const DEFAULT_DEADLINE_MS = 10_000
