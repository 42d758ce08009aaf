/** Path of the worklet in the package, from Vite's copy of the module. */
const FROM_VITE_DEPS = '../../@stagepass/audio/dist/'

/**
 * Corrects the address of a worklet. The dev servers of Vite 5, 6 and 7 move the module next to it to
 * node_modules/.vite/deps, but not the worklet.
 */
export function workletUrl(beside: URL, path: string): URL {
  return beside.pathname.includes('/.vite/deps/') ? new URL(FROM_VITE_DEPS + path, beside) : beside
}
