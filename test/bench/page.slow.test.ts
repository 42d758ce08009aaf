import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runIn } from '@stagepass/testing/programs'
import { expect, it } from 'vitest'

it('`npm run bench -- --report` writes the page from the ratios of a bench', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-bench-'))
  try {
    const out = join(folder, 'bench.md')
    const options = ['--report', '--quick', '--only', 'token-route', '--out', out]
    await runIn(process.cwd(), 'npm', ['run', 'bench', '--', ...options], {
      env: { ONLY: 'stagepass,bare' },
    })
    const text = readFileSync(out, 'utf8')
    expect(text).toMatch(/^- _.+_ Stagepass beside bare node:http \+ undici: \*\*[\d.]+\*\* /m)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
