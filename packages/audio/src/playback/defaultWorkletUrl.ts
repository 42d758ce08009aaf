import { workletUrl } from '../sound/workletUrl.js'

/**
 * Where the worklet is: beside this module. Bundlers recognise this expression and serve the file.
 * `no-inline`: Vite would otherwise make so small a file a data: address, which a strict
 * Content-Security-Policy refuses.
 */
export function defaultWorkletUrl(): URL {
  const beside = new URL('./playback.worklet.js?no-inline', import.meta.url)
  return workletUrl(beside, 'playback/playback.worklet.js')
}
