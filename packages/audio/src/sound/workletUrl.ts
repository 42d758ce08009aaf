/** Where the worklet is in a package that Vite did not move. */
const FROM_VITE_DEPS = '../../@stagepass/audio/dist/'

/**
 * The address of a worklet, from where its bundler says that it is. The dev servers of Vite 5, 6 and 7 move
 * the module beside it to node_modules/.vite/deps, and leave the worklet behind.
 */
export function workletUrl(beside: URL, path: string): URL {
  return beside.pathname.includes('/.vite/deps/') ? new URL(FROM_VITE_DEPS + path, beside) : beside
}
