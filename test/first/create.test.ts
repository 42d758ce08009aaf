import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

// fresh.slow.test.ts creates each template.
it('`npm run create` says before it builds what is missing, with its own command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-create-'))
  try {
    const npm = ['--prefix', process.cwd(), 'run', '--silent', 'create', '--']
    const run = (...args: string[]) => spawnSync('npm', [...npm, ...args], { cwd: folder, encoding: 'utf8' })
    expect(run('my-app')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('npm run create -- my-app --template express\n'),
    })
    expect(run('--help').stdout).toMatch(/^Usage: npm run create -- \[folder\] \[options\]\n/)
    expect(readdirSync(folder)).toEqual([])
    // The folder is that of the user, and not of the repository.
    mkdirSync(join(folder, 'my-app/src'), { recursive: true })
    expect(run('my-app', '--yes')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('the folder is not empty'),
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
