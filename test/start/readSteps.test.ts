import { expect, it } from 'vitest'
import { readAddress, readSteps } from './readSteps.js'

const fence = '```'
const page = (...blocks: string[]): string => blocks.join('\n\n')
const sh = (commands: string): string => `${fence}sh\n${commands}\n${fence}`

it('blocks of sh are run, and others are files, named by the previous paragraph or the title', () => {
  const steps = readSteps(
    page(
      'In an empty folder:',
      sh('npm init --yes'),
      'Save this as `server.ts`. It needs `express`.',
      `${fence}ts\n// server.ts\n${fence}`,
      `${fence}html [web/index.html]\n<p></p>\n${fence}`,
      sh('node server.ts'),
      'As an example, not a step:',
      `${fence}ts\nnothing\n${fence}`.replace('ts', 'ts [unused.ts]'),
    ),
  )
  expect(steps).toEqual([
    { type: 'run', commands: 'npm init --yes\n' },
    { type: 'file', path: 'server.ts', text: '// server.ts\n' },
    { type: 'file', path: 'web/index.html', text: '<p></p>\n' },
    { type: 'run', commands: 'node server.ts\n' },
  ])
})

it('a file without a name, and a page that runs nothing, are errors', () => {
  const nameless = page('A server:', `${fence}ts\nlisten()\n${fence}`, sh('node server.ts'))
  expect(() => readSteps(nameless)).toThrow('names no file')
  expect(() => readSteps('Only words.')).toThrow('it runs nothing')
})

it('the address is the one that the page tells its reader to open', () => {
  expect(readAddress('Open <http://localhost:3000>, and speak.')).toBe('http://localhost:3000')
  expect(() => readAddress('Open the page.')).toThrow('has no "Open')
})
