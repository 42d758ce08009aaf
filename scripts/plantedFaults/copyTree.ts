import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' })
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/**
 * A copy of the work tree, or of the tree of a commit, in a folder of its own. Returns the folder. Installed packages are linked; the
 * packages of the repository are those of the copy.
 */
export function copyTree(commit: string | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-faults-'))
  if (commit === undefined) {
    const files = lines(git('ls-files', '--cached', '--others', '--exclude-standard'))
    for (const file of files) if (existsSync(file)) cpSync(file, join(folder, file))
  } else {
    const archive = join(folder, 'tree.tar')
    git('archive', '--output', archive, commit)
    execFileSync('tar', ['-xf', archive, '-C', folder])
  }
  linkPackages(folder)
  return folder
}

function linkPackages(folder: string): void {
  for (const name of readdirSync('node_modules')) {
    if (name === '@stagepass' || name.startsWith('.')) continue
    link(resolve('node_modules', name), join(folder, 'node_modules', name))
  }
  for (const name of readdirSync('node_modules/@stagepass')) {
    const target = readlinkSync(join('node_modules/@stagepass', name))
    link(target, join(folder, 'node_modules/@stagepass', name))
  }
  const react18 = 'test/react-18/node_modules'
  if (existsSync(react18)) link(resolve(react18), join(folder, react18))
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}
