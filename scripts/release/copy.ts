import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { copyTree } from '../plantedFaults/copyTree.js'

/** A copy of the work tree with installed packages linked, and a history of one commit, which changesets asks for. */
export function copyForRelease(): string {
  const folder = copyTree()
  symlinkSync(resolve('node_modules/.bin'), join(folder, 'node_modules/.bin'))
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=release', '-c', 'user.email=release@localhost', ...args], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
  try {
    git('init', '--quiet', '--initial-branch=main')
    git('add', '--all')
    git('commit', '--quiet', '--no-gpg-sign', '--message', 'The tree of a dry run')
  } catch (error) {
    // Ctrl+C ends git too.
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return folder
}
