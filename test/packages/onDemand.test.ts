import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { expect, it, onTestFinished, vi } from 'vitest'

/** The modules whose code an application loads at once, and those that it loads on demand, as Vite bundles it. */
async function modulesOf(program: string): Promise<{ readonly atOnce: string[]; readonly later: string[] }> {
  const folder = mkdtempSync(join(import.meta.dirname, '.on-demand-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // The build sets it to "production", which the tests after this one would see.
  vi.stubEnv('NODE_ENV', process.env.NODE_ENV)
  onTestFinished(() => void vi.unstubAllEnvs())
  const entry = join(folder, 'page.ts')
  writeFileSync(entry, program)
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['@stagepass/source', 'module', 'browser', 'production'] },
    build: {
      write: false,
      lib: { entry, formats: ['es'], fileName: 'page' },
      rollupOptions: { external: [/^react/, /^@tanstack\//] },
    },
  })
  const [output] = [result].flat()
  const chunks = output && 'output' in output ? output.output.filter((file) => file.type === 'chunk') : []
  const atOnce = new Set(chunks.flatMap(({ isEntry, fileName }) => (isEntry ? [fileName] : [])))
  // A set may grow while it is read.
  for (const name of atOnce)
    for (const imported of chunks.find(({ fileName }) => fileName === name)?.imports ?? [])
      atOnce.add(imported)
  const modules = (isAtOnce: boolean): string[] =>
    chunks
      .filter(({ fileName }) => atOnce.has(fileName) === isAtOnce)
      .flatMap((chunk) => Object.entries(chunk.modules))
      .flatMap(([path, { renderedLength }]) => (renderedLength > 0 ? [path] : []))
  return { atOnce: modules(true), later: modules(false) }
}

it('a page loads the code of the option `vitals` only if it has the option', async () => {
  const { atOnce, later } = await modulesOf(
    `export { createVoiceClient, useStream, VoiceProvider } from '@stagepass/react'`,
  )
  const isOfVitals = (path: string): boolean => /\/react\/src\/vitals\/|\/pageFigures\.ts$/.test(path)
  expect(atOnce).toContainEqual(expect.stringMatching(/\/react\/src\/client\/createVoiceClient\.ts$/))
  expect(atOnce.filter(isOfVitals)).toEqual([])
  expect(later.filter(isOfVitals)).not.toEqual([])
})
