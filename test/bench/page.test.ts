import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runIn } from '@stagepass/testing/programs'
import { expect, it } from 'vitest'

it('`npm run bench -- --report` writes page, figures and pictures from the ratios of a bench', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-bench-'))
  try {
    const options = ['--report', '--only', 'sizes', '--out', folder]
    await runIn(process.cwd(), 'npm', ['run', 'bench', '--', ...options])
    const text = readFileSync(join(folder, 'bench.md'), 'utf8')
    expect(text).toMatch(
      /^\| everything \| its limit \| \*\*[\d.]+\*\* \| at most 1[^|]* \| [\d.]+ \/ [\d.]+ kB \|$/m,
    )
    const [, picture = ''] = /<img src="\.\/(bench\/sizes\.svg)"/.exec(text) ?? []
    expect(existsSync(join(folder, picture))).toBe(true)
    expect(readFileSync(join(folder, 'bench/figures.json'), 'utf8')).toContain('"id": "sizes"')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
