import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { mayPublish, REFUSAL } from './mayPublish.js'

const inWorkflow = {
  GITHUB_ACTIONS: 'true',
  GITHUB_WORKFLOW: 'release',
  ACTIONS_ID_TOKEN_REQUEST_URL: 'https://runner.example/token',
}

it('only the release workflow with the right to an identity may publish', () => {
  expect(mayPublish(inWorkflow)).toBe(true)
  expect(mayPublish({})).toBe(false)
  expect(mayPublish({ ...inWorkflow, GITHUB_WORKFLOW: 'check' })).toBe(false)
  expect(mayPublish({ ...inWorkflow, ACTIONS_ID_TOKEN_REQUEST_URL: undefined })).toBe(false)
})

it('a release without --dry-run is refused elsewhere, with what to do', () => {
  const env = { ...process.env, GITHUB_ACTIONS: undefined }
  const { status, stderr } = spawnSync('npx', ['tsx', 'scripts/release/run.ts'], { env, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain(REFUSAL)
})
