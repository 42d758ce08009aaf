/** Option `vitals` of `createVoiceClient`. */
export interface VitalsOptions {
  /** The part of the pages that is measured, from 0 to 1: with 0.1 one page in ten. Default 1. */
  readonly sample?: number | undefined
}
