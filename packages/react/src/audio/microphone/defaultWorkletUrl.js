/**
 * Where the worklet is: beside this module. Bundlers recognise this expression and serve the file. A CommonJS module has no address, so
 * scripts/build.ts makes the expression `undefined` there; this file is plain JavaScript because the compiler would refuse it.
 * @returns {URL | undefined}
 */
export function defaultWorkletUrl() {
  // `no-inline`: Vite would otherwise make so small a file a data: address, which a strict Content-Security-Policy refuses.
  /** @type {URL | undefined} */
  const beside = new URL('./capture.worklet.js?no-inline', import.meta.url)
  // The dev servers of Vite 5, 6 and 7 move this module to node_modules/.vite/deps, and leave the worklet behind.
  return beside?.pathname.includes('/.vite/deps/') ? new URL(FROM_VITE_DEPS, beside) : beside
}

const FROM_VITE_DEPS = '../../@stagepass/react/dist/audio/microphone/capture.worklet.js'
