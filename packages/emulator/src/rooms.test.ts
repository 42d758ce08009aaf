import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('.', import.meta.url))

/** Each room with the rooms from which it may import. The empty name is the root. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'core/platform': [],
  'core/request': ['core/platform'],
  'core/speech': ['core/platform'],
  'core/store': ['core/platform'],
  'core/streams': ['core/speech', 'core/platform'],
  'core/sockets': ['core/streams', 'core/store', 'core/request', 'core/platform'],
  'core/faults': ['core/sockets', 'core/request'],
  'core/meetings': ['core/store', 'core/request', 'core/platform'],
  'core/routes': ['core/meetings', 'core/store', 'core/request', 'core/platform'],
  core: [
    'core/routes',
    'core/meetings',
    'core/faults',
    'core/sockets',
    'core/streams',
    'core/store',
    'core/request',
    'core/platform',
  ],
  node: ['core', 'core/routes', 'core/meetings', 'core/sockets', 'core/request', 'core/platform'],
  '': ['node', 'core/faults', 'core/meetings', 'core/sockets', 'core/store', 'core/request', 'core/platform'],
}

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('.test.'))
  .map((file) => ({ file, room: roomOf(join(ROOT, file)) }))

function roomOf(path: string): string {
  return relative(ROOT, dirname(path))
}

it('imports point from a room to the rooms that it may use', () => {
  const wrong = files.flatMap(({ file, room }) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/from '(\.[^']+)'/g)]
      .map(([, target = '']) => roomOf(join(ROOT, room, target)))
      .filter((target) => target !== room && !MAY_IMPORT[room]?.includes(target))
      .map((target) => `${file} -> ${target}`),
  )
  expect(wrong).toEqual([])
})

it('a room has at most 12 files, and the root has its front door only', () => {
  const sizes = new Map<string, number>()
  for (const { room } of files) sizes.set(room, (sizes.get(room) ?? 0) + 1)
  expect([...sizes.keys()].toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted())
  expect([...sizes].filter(([, size]) => size > 12)).toEqual([])
  expect(sizes.get('')).toBe(1)
})
