import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { workletUrl } from './workletUrl.js'

const audio = 'packages/audio/src'
const page = 'https://example.com/node_modules/'

/** The module next to a worklet, as if it was loaded from this address. */
function defaultWorkletUrl(folder: string, address: string): URL {
  const source = readFileSync(`${audio}/${folder}/defaultWorkletUrl.ts`, 'utf8')
    .replace(/^import .*$/m, '')
    .replace('export ', '')
    .replace('(): URL', '()')
    .replace('import.meta.url', JSON.stringify(address))
  // oxlint-disable-next-line no-implied-eval, no-new-func -- a module's own address cannot be chosen
  return new Function('workletUrl', `${source}; return defaultWorkletUrl()`)(workletUrl) as URL
}

it.each(['microphone', 'playback'])(
  'finds the worklet of the %s in the package, wherever Vite puts the module',
  (folder) => {
    const beside = defaultWorkletUrl(folder, `${page}@stagepass/audio/dist/${folder}/defaultWorkletUrl.js`)
    const moved = defaultWorkletUrl(folder, `${page}.vite/deps/@stagepass_audio.js`)
    expect(moved.pathname).toBe(beside.pathname)
    const [, inAudio] = moved.pathname.split('/audio/dist/')
    expect(existsSync(`${audio}/${inAudio}`)).toBe(true)
  },
)
