import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

const run = (script: string, option: string) =>
  spawnSync('npx', ['tsx', '--conditions=@stagepass/source', script, option], { encoding: 'utf8' })

it.each(['scripts/check.ts', 'scripts/consumer/run.ts', 'bench/report/run.ts'])(
  '%s says what is wrong with an option, and how it is used',
  (script) => {
    const { status, stderr } = run(script, '--nothing')
    expect(status).toBe(1)
    expect(stderr).toContain("Unknown option '--nothing'")
    expect(stderr).toMatch(/^npm run |^npx tsx /m)
    expect(stderr).not.toMatch(/^ +at /m)
    expect(run(script, '--help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^np[mx] /) })
  },
)
