import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { startStack } from '@stagepass/testing'
import { expect, it } from 'vitest'
import { openapiText } from '../../docs/generate/openapi/openapiText.js'
import { ROOT } from './programs.js'

const FOLDER = `${ROOT}tools/openapi-client`

it('the description breaks no rule of the linter', async () => {
  // A health check has no 4xx response.
  const rules = { 'operation-4xx-response': 'off' } as const
  const config = await createConfig({ extends: ['recommended-strict'], rules })
  const problems = await lintFromString({ source: openapiText(), absoluteRef: 'openapi.yaml', config })
  expect(
    problems.map(({ message, ruleId, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
  ).toEqual([])
})

/** Runs a program to its end, in the root of the repository. Rejects if it fails. */
const run = (file: string, ...args: string[]) => promisify(execFile)(file, args, { cwd: ROOT })

it('a client that is generated from it has correct types, and works', async () => {
  const cache = `${FOLDER}/.cache`
  mkdirSync(cache, { recursive: true })
  copyFileSync(`${FOLDER}/client.ts`, `${cache}/client.ts`)
  writeFileSync(`${cache}/openapi.yaml`, openapiText())
  // The generator needs an older compiler than ours, so it has a separate folder.
  await run(
    `${FOLDER}/node_modules/.bin/openapi-typescript`,
    `${cache}/openapi.yaml`,
    '-o',
    `${cache}/wire.d.ts`,
  )
  const options = [
    '--ignoreConfig',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2023,dom',
    '--types',
    'node',
  ]
  await run(
    `${ROOT}node_modules/.bin/tsc`,
    ...options,
    '--strict',
    '--exactOptionalPropertyTypes',
    `${cache}/client.ts`,
  )

  await using stack = await startStack()
  const { stdout } = await run(process.execPath, `${cache}/client.js`, stack.url)
  expect(JSON.parse(stdout)).toEqual({
    // The header `Date` may already be of the next second.
    life: expect.closeTo(30 * 60_000, -4),
    ids: [expect.any(String), expect.any(String)],
    next: expect.any(String),
    code: 'NOT_FOUND',
    health: 'ok',
  })
})
