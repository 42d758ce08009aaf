import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { workletUrl } from './workletUrl.js'

const audio = 'packages/audio/src'
const page = 'https://example.com/node_modules/'

/** The module next to a worklet, as if it was loaded from this address. */
function urlFrom(module: string, address: string): URL {
  const source = readFileSync(`${audio}/${module}.ts`, 'utf8')
    .replace(/^import .*$/m, '')
    .replace('export ', '')
    .replace('(): URL', '()')
    .replace('import.meta.url', JSON.stringify(address))
  // oxlint-disable-next-line no-implied-eval, no-new-func -- a module's own address cannot be chosen
  return new Function('workletUrl', `${source}; return ${basename(module)}()`)(workletUrl) as URL
}

it.each(['microphone/captureWorkletUrl', 'playback/playbackWorkletUrl'])(
  '%s finds the worklet in the package, wherever Vite puts the module',
  (module) => {
    const beside = urlFrom(module, `${page}@stagepass/audio/dist/${module}.js`)
    const moved = urlFrom(module, `${page}.vite/deps/@stagepass_audio.js`)
    expect(moved.pathname).toBe(beside.pathname)
    const [, inAudio] = moved.pathname.split('/audio/dist/')
    expect(existsSync(`${audio}/${inAudio}`)).toBe(true)
  },
)
