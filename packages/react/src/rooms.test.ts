import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const SOURCE = 'packages/react/src'

/** Folders and files of the root, from low to high. Each imports only what stands before it. */
const ROOMS = [
  'VoiceError',
  'platform',
  'client',
  'request',
  'token',
  'meetings',
  'stream/machine',
  'stream/wire',
  'stream/queue',
  'stream/watch',
  'stream',
  'codecs',
  'devtools',
  'createVoiceClient',
  'useVoiceClient',
  'VoiceProvider',
  'testing',
  'index',
]

/** Knows nothing of clients and streams. */
const AUDIO_ROOMS = ['platform', 'audio/sound', 'audio/microphone', 'audio']

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !file.includes('.test'),
)

function roomOf(file: string): string {
  const folder = dirname(file)
  return folder === '.' ? basename(file).replace(/\.\w+$/, '') : folder
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(SOURCE, file), 'utf8')
  return [...text.matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, path = '']) =>
    join(dirname(file), path),
  )
}

it('has rooms that import only lower ones', () => {
  const wrong = files.flatMap((file) => {
    const rooms = file.startsWith('audio') ? AUDIO_ROOMS : ROOMS
    const own = rooms.indexOf(roomOf(file))
    return importsOf(file).flatMap((path) => {
      const index = rooms.indexOf(roomOf(path))
      return own < 0 || index < 0 || index > own ? `${file} -> ${path}` : []
    })
  })
  expect(wrong).toEqual([])
})

it('keeps a folder to 12 files', () => {
  const folders = files.map((file) => dirname(file))
  const full = [...new Set(folders)].filter((name) => folders.filter((other) => other === name).length > 12)
  expect(full).toEqual([])
})
