import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { readText } from './repositoryFiles.js'

interface Job {
  readonly permissions?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number
  readonly steps: readonly {
    readonly uses?: string
    readonly run?: string
    readonly with?: Readonly<Record<string, unknown>>
  }[]
}

interface Workflow {
  readonly permissions?: object
  readonly concurrency?: object
  readonly jobs: Readonly<Record<string, Job>>
}

const FOLDER = '.github/workflows/'
const files = readdirSync(FOLDER)
const workflowOf = (file: string): Workflow => parse(readText(FOLDER + file)) as Workflow
const jobsOf = (file: string): Job[] => Object.values(workflowOf(file).jobs)
const stepsOf = (file: string): Job['steps'] => jobsOf(file).flatMap(({ steps }) => steps)

it.each(files)('%s has no permissions by default, and each job has a time limit', (file) => {
  const workflow = workflowOf(file)
  expect(workflow.permissions).toEqual({})
  expect(workflow.concurrency).toBeDefined()
  for (const job of jobsOf(file)) expect(job['timeout-minutes']).toBeLessThanOrEqual(90)
})

it.each(files)('%s names each action by a commit, with its version beside it', (file) => {
  const lines = readText(FOLDER + file)
    .split('\n')
    .filter((line) => line.includes('uses:'))
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

it.each(files)('%s leaves no token on disk, and puts no expression into a command', (file) => {
  const steps = stepsOf(file)
  const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
  for (const { with: inputs } of checkouts) expect(inputs).toMatchObject({ 'persist-credentials': false })
  for (const { run = '' } of steps) expect(run).not.toContain('${{')
})

it('S53 only the release may ask for an identity, and none may write', () => {
  const granted = files.flatMap((file) =>
    jobsOf(file).flatMap(({ permissions = {} }) =>
      Object.entries(permissions)
        .filter(([, level]) => level !== 'read')
        .map(([name]) => `${file}: ${name}`),
    ),
  )
  expect(granted).toEqual(['release.yml: id-token'])
})

it('an action has one version in all workflows', () => {
  const used = new Set(files.flatMap((file) => stepsOf(file).flatMap(({ uses }) => uses ?? [])))
  const names = [...used].map((uses) => uses.split('@')[0])
  expect(new Set(names).size).toBe(names.length)
})
