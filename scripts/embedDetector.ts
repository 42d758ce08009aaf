import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * Writes the WebAssembly of `@echogarden/fvad-wasm` into a module, as text. So every bundler makes a chunk of
 * it, and the page loads it like its other scripts: without an asset to serve, and without the loader of the
 * library, which imports modules of Node. git does not keep the file.
 */

const FILE = 'packages/audio/src/speech/fvadWasm.ts'

export function embedDetector(root: string): void {
  const folder = dirname(fileURLToPath(import.meta.resolve('@echogarden/fvad-wasm')))
  const license = readFileSync(join(folder, 'LICENSE'), 'utf8').trim()
  const bytes = readFileSync(join(folder, 'fvad.wasm')).toString('base64')
  const text = `// Written by scripts/embedDetector.ts.
/*!
@echogarden/fvad-wasm

${license}
*/

/** The voice activity detector of WebRTC: WebAssembly in Base64. */
export const FVAD_WASM = '${bytes}'
`
  const file = join(root, FILE)
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}
