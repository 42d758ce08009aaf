import { checkNumber } from '../sound/checkNumber.js'

interface Times {
  readonly closeAfterMs: number
  readonly preRollMs: number
}

/** The times of a speech gate, or their defaults. Throws a `RangeError` if one makes no sense. */
export function speechTimes({
  closeAfterMs = 2_000,
  preRollMs = 500,
}: {
  [TName in keyof Times]?: number | undefined
}): Times {
  checkNumber('closeAfterMs', closeAfterMs, 100)
  checkNumber('preRollMs', preRollMs, 0, 10_000)
  return { closeAfterMs, preRollMs }
}
