import { inStorage } from '../platform/inStorage.js'

/** Set while this browser may have recordings, so that no other page loads code to look for them. */
const MARK = 'stagepass recordings'

export const markRecordings = (): void => inStorage('localStorage', (storage) => storage.setItem(MARK, '1'))

export const isMarked = (): boolean => Boolean(inStorage('localStorage', (storage) => storage.getItem(MARK)))
