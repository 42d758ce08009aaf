import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { changelogSection, readPlan, withSection } from './changelog.js'
import { provideTools, toolPath } from './tools.js'

/*
 * Applies the files of .changeset to the tree in which it runs: versions, the lockfile, CHANGELOG.md. `npm run release:version`, then commit. A dry
 * run of a release does it in a copy.
 */

/** What has the version of the packages, and is no workspace. */
const OTHERS = [
  'package.json',
  'examples/hono/package.json',
  'examples/next-app/package.json',
  'examples/react-router/package.json',
]

/** Returns the version that the packages have now. */
export function applyVersion(root: string): string {
  const versionNow = (): string =>
    (JSON.parse(readFileSync(join(root, 'packages/contract/package.json'), 'utf8')) as { version: string })
      .version
  const before = versionNow()
  const plan = readPlan(root)
  if (plan.version === null) return before
  execFileSync(toolPath('changeset'), ['version'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  for (const path of OTHERS) {
    const text = readFileSync(join(root, path), 'utf8')
    const isOwn = /^(\s*"(?:version|@stagepass\/[a-z-]+)": ")([^"]+)(")/gm
    writeFileSync(
      join(root, path),
      text.replace(isOwn, (line, start: string, version: string, end: string) =>
        version === before ? `${start}${plan.version}${end}` : line,
      ),
    )
  }
  const page = join(root, 'CHANGELOG.md')
  const old = existsSync(page) ? readFileSync(page, 'utf8') : undefined
  writeFileSync(page, withSection(old, changelogSection(plan)))
  execFileSync('npx', ['tsx', '--conditions=@stagepass/source', 'scripts/openapi.ts'], {
    cwd: root,
    stdio: 'inherit',
  })
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return versionNow()
}

if (process.argv[1]?.endsWith('version.ts')) {
  provideTools()
  console.log(`The packages have version ${applyVersion(process.cwd())}.`)
}
