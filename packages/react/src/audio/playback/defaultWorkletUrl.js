import { workletUrl } from '../sound/workletUrl.js'

/**
 * Where the worklet is: beside this module. Bundlers recognise this expression and serve the file. A CommonJS
 * module has no address, so scripts/build.ts makes the expression `undefined` there; this file is plain
 * JavaScript because the compiler would refuse it.
 * @returns {URL | undefined}
 */
export function defaultWorkletUrl() {
  // `no-inline`: Vite would otherwise make a small file a data: address, which a strict
  // Content-Security-Policy refuses.
  /** @type {URL | undefined} */
  const beside = new URL('./playback.worklet.js?no-inline', import.meta.url)
  return workletUrl(beside, 'playback/playback.worklet.js')
}
