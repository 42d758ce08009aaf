import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { WORKLETS } from '../../scripts/embedWorklets.js'

const root = resolve(import.meta.dirname, '../..')

// `npm pack` and `npm run build` run in the folder of a package.
it.each(['packages/audio', '/'])('the worklets are equal if they are built in %s', (folder) => {
  const program = `
    import { WORKLETS, workletFile } from '${root}/scripts/embedWorklets.ts'
    const texts = await Promise.all(Object.keys(WORKLETS).map((path) => workletFile('${root}', path)))
    console.log(JSON.stringify(texts))`
  const node = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', program]
  const printed = execFileSync(process.execPath, node, { cwd: resolve(root, folder), encoding: 'utf8' })
  const written = Object.keys(WORKLETS).map((path) => readFileSync(`${root}/${path}`, 'utf8'))
  expect(JSON.parse(printed)).toEqual(written)
})
