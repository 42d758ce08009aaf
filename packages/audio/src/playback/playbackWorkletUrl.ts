import { workletUrl } from '../sound/workletUrl.js'

/**
 * The worklet is next to this module. Bundlers recognise this expression and serve the file. `no-inline`:
 * otherwise Vite would turn such a small file into a data: address, which a strict Content-Security-Policy
 * refuses.
 */
export function playbackWorkletUrl(): URL {
  const beside = new URL('./playback.worklet.js?no-inline', import.meta.url)
  return workletUrl(beside, 'playback/playback.worklet.js')
}
