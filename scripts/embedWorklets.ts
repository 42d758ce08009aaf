import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { build } from 'vite'
import { embedDetector } from './embedDetector.js'

/*
 * Writes the modules of each worklet into one plain file, because an audio thread loads one file, and a page
 * may copy that file to its own origin. git does not keep these files: `npm ci`, `npm test`, `npm run dev`
 * and `npm run build` write them.
 */

const AUDIO = 'packages/audio/src'

/** Path of each worklet below the root, and the module that registers its processor. */
export const WORKLETS: Readonly<Record<string, string>> = {
  [`${AUDIO}/microphone/capture.worklet.js`]: 'captureProcessor',
  [`${AUDIO}/playback/playback.worklet.js`]: 'playbackProcessor',
}

/** The text of a worklet. Comments stay in the modules. */
export async function workletFile(root: string, path: string): Promise<string> {
  const built = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        // Otherwise the module names in the text would depend on the current folder.
        cwd: join(root, AUDIO, 'worklets'),
        input: join(root, AUDIO, 'worklets', `${WORKLETS[path]}.js`),
        optimization: { inlineConst: false },
        output: { format: 'es', comments: false, minify: false },
      },
    },
  })
  const outputs = Array.isArray(built) ? built : [built]
  const [chunk] = outputs.flatMap((one) => ('output' in one ? one.output : []))
  if (chunk?.type !== 'chunk') throw new Error(`Failed to write ${path}: there is no output.`)
  const code = chunk.code.replaceAll(/^\/\/#(end)?region.*\n/gm, '')
  const text = `// Written by scripts/embedWorklets.ts from the modules of worklets/. One plain file, to be served from the page's own origin.\n\n${code}`
  return format(text, { ...(await resolveConfig(join(root, path))), filepath: path })
}

export async function embedWorklets(root: string): Promise<void> {
  embedDetector(root)
  for (const path of Object.keys(WORKLETS)) {
    const text = await workletFile(root, path)
    const file = join(root, path)
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
  }
}

if (process.argv[1] === import.meta.filename) await embedWorklets(resolve(import.meta.dirname, '..'))
