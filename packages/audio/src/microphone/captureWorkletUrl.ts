import { workletUrl } from '../sound/workletUrl.js'

/**
 * The worklet is next to this module. Bundlers recognise this expression and serve the file. `no-inline`:
 * otherwise Vite would turn such a small file into a data: address, which a strict Content-Security-Policy
 * refuses.
 */
export function captureWorkletUrl(): URL {
  const beside = new URL('./capture.worklet.js?no-inline', import.meta.url)
  return workletUrl(beside, 'microphone/capture.worklet.js')
}
