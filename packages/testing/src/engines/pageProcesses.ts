import { readdirSync, readFileSync } from 'node:fs'

type Pattern = (commandLine: string) => boolean

/**
 * Finds the page processes of a browser that this process has started, by their command lines. It reads
 * `/proc`, so it works only on Linux, like WebKitGTK.
 */
export function pageProcesses(isPage: Pattern, isBrowser: Pattern = () => true): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    // "pid (name) state parent …". The name may contain spaces and brackets.
    const fields = read(pid, 'stat').split(') ').at(-1)?.split(' ')
    if (fields?.[1]) parents.set(pid, Number(fields[1]))
  }
  const ancestorsOf = (pid: number): number[] => {
    const parent = parents.get(pid)
    return parent === undefined ? [] : [parent, ...ancestorsOf(parent)]
  }
  return [...parents.keys()].filter((pid) => {
    if (!isPage(commandLineOf(pid))) return false
    const ancestors = ancestorsOf(pid)
    return ancestors.includes(process.pid) && ancestors.some((parent) => isBrowser(commandLineOf(parent)))
  })
}

const commandLineOf = (pid: number): string => read(pid, 'cmdline').replaceAll('\0', ' ')

/** Reads a file of a process. Empty if the process has ended. */
function read(pid: number, file: 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
