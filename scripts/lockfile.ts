import { readFileSync } from 'node:fs'

/*
 * If a registry does not have one platform's binary yet, `npm install` writes a lockfile without it, and `npm
 * ci` fails on that platform. So this checks that every optional dependency in the lockfile has an entry, and
 * that no entry names a host.
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
