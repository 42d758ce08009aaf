import { runIn } from '@stagepass/testing/programs'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const folder = 'test/phone/jest'

it('createTestVoice works under Jest with the preset of React Native', async () => {
  await runIn(root, 'npm', ['run', 'build', '--silent'])
  const out = mkdtempSync(join(tmpdir(), 'stagepass-jest-'))
  onTestFinished(() => rmSync(out, { recursive: true, force: true }))
  const report = join(out, 'report.json')
  const config = ['--rootDir', folder, '--config', `${folder}/jest.config.cjs`]
  // Jest ends after the test only if no timer is left.
  await runIn(root, 'npx', ['jest', ...config, '--json', '--outputFile', report])
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
    success: true,
    numPassedTests: 1,
    numTotalTests: 1,
  })
})
