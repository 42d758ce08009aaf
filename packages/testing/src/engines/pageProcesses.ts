import { readdirSync, readFileSync } from 'node:fs'

/**
 * The processes of this process's browsers that run pages, found by their command line. It reads `/proc`, so
 * it works on Linux only, as WebKitGTK does.
 */
export function pageProcesses(isPage: (commandLine: string) => boolean): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    // "pid (name) state parent …"; the name may hold spaces and brackets.
    const fields = read(pid, 'stat').split(') ').at(-1)?.split(' ')
    if (fields?.[1]) parents.set(pid, Number(fields[1]))
  }
  const isOurs = (pid: number | undefined): boolean =>
    pid === process.pid || (pid !== undefined && pid > 1 && isOurs(parents.get(pid)))
  return [...parents.keys()].filter(
    (pid) => isOurs(pid) && isPage(read(pid, 'cmdline').replaceAll('\0', ' ')),
  )
}

/** A file of a process; empty if the process has ended meanwhile. */
function read(pid: number, file: 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
