import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runIn } from '@stagepass/testing/programs'
import { expect, it } from 'vitest'

it('`npm run bench -- --report` writes page, figures and pictures from the ratios of a bench', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-bench-'))
  try {
    const options = ['--report', '--quick', '--only', 'token-route', '--out', folder]
    await runIn(process.cwd(), 'npm', ['run', 'bench', '--', ...options], {
      env: { ONLY: 'stagepass,bare' },
    })
    const text = readFileSync(join(folder, 'bench.md'), 'utf8')
    expect(text).toMatch(/^\| _.+_ Stagepass \| bare node:http \+ undici \| \*\*[\d.]+\*\* /m)
    const [, picture = ''] = /<img src="\.\/(bench\/price\.svg)"/.exec(text) ?? []
    expect(existsSync(join(folder, picture))).toBe(true)
    expect(readFileSync(join(folder, 'bench/figures.json'), 'utf8')).toContain('"quick": true')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
