import { readdirSync, readFileSync } from 'node:fs'

/**
 * Finds the page processes of browsers that this process has started, by their command line. It reads
 * `/proc`, so it works only on Linux, like WebKitGTK.
 */
export function pageProcesses(isPage: (commandLine: string) => boolean): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    // "pid (name) state parent …". The name may contain spaces and brackets.
    const fields = read(pid, 'stat').split(') ').at(-1)?.split(' ')
    if (fields?.[1]) parents.set(pid, Number(fields[1]))
  }
  const isOurs = (pid: number | undefined): boolean =>
    pid === process.pid || (pid !== undefined && pid > 1 && isOurs(parents.get(pid)))
  return [...parents.keys()].filter(
    (pid) => isOurs(pid) && isPage(read(pid, 'cmdline').replaceAll('\0', ' ')),
  )
}

/** Reads a file of a process. Empty if the process has ended. */
function read(pid: number, file: 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
