import { readFileSync } from 'node:fs'

/*
 * A registry that lags behind for one platform lets `npm install` write a lockfile without that platform's
 * binary; `npm ci` then refuses it elsewhere. So: every optional dependency named in the lockfile has an
 * entry, and no entry names a host.
 */

interface Entry {
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Entry> }
const names = new Set(Object.keys(lock.packages).map((path) => path.split('node_modules/').at(-1)))

const faults: string[] = []
for (const [path, entry] of Object.entries(lock.packages)) {
  if (entry.resolved?.startsWith('http')) faults.push(`${path} names a registry host`)
  for (const name of Object.keys(entry.optionalDependencies ?? {})) {
    if (!names.has(name)) faults.push(`${path} wants ${name}, which has no entry`)
  }
}

if (faults.length > 0) {
  console.error(
    `Failed to accept package-lock.json:\n  ${faults.join('\n  ')}\nPin the versions that are complete and make it again.`,
  )
  process.exitCode = 1
} else {
  console.log(`package-lock.json: ${names.size} packages, every platform has its entry.`)
}
