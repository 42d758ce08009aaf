import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { say } from '../run.js'

/*
 * What only a release needs has a lockfile of its own, in tools/release, so that `npm ci` of the repository stays small. It is installed when
 * it is used for the first time, without install scripts.
 */

export const TOOLS = resolve(import.meta.dirname, '../../tools/release')

const isCurrent = (): boolean => {
  const installed = join(TOOLS, 'node_modules/.package-lock.json')
  return (
    existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(TOOLS, 'package-lock.json')).mtimeMs
  )
}

/** Installs the tools of a release, unless they are there. */
export function provideTools(): void {
  if (isCurrent()) return
  say('Installing the tools of a release (tools/release)')
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: TOOLS, stdio: 'inherit' })
}

/** Path of a program of tools/release. */
export const toolPath = (name: string): string => join(TOOLS, 'node_modules/.bin', name)
