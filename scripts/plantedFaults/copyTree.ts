import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' })
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** Copies the work tree to a folder of its own, and returns the folder. Installed packages are linked; those of the repository are the copy's. */
export function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-faults-'))
  const files = lines(git('ls-files', '--cached', '--others', '--exclude-standard'))
  for (const file of files) if (existsSync(file)) cpSync(file, join(folder, file))
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
