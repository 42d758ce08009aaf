import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface PostgresServer extends AsyncDisposable {
  /** Its address for clients: a unix socket, because it has no port. */
  readonly url: string
}

/** Postgres does not run as root. Debian's package creates a user for it. */
const owner = (): { uid: number; gid: number } | undefined =>
  process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined
const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))

/** Starts an empty Postgres. `INITDB_PATH` names its `initdb`; `postgres` is in the same folder. */
export async function startPostgres(): Promise<PostgresServer> {
  const initdb = process.env.INITDB_PATH
  if (initdb === undefined)
    throw new Error('Failed to start Postgres: INITDB_PATH is not set. Set it to the path of its initdb.')
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-postgres-'))
  const user = owner()
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  execFileSync(initdb, ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'], { ...user, cwd: folder })
  const settings = ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off']
  const server = spawn(join(dirname(initdb), 'postgres'), settings, {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // The child must end with the test run, also if the run is interrupted.
  const kill = (): void => void server.kill('SIGINT')
  process.once('exit', kill)
  server.once('exit', () => process.off('exit', kill))
  await ready(server)
  return {
    url: `postgresql://postgres@/postgres?host=${encodeURIComponent(folder)}`,
    async [Symbol.asyncDispose]() {
      const gone = once(server, 'exit')
      kill()
      await gone
      rmSync(folder, { recursive: true })
    },
  }
}

async function ready(server: ChildProcess): Promise<void> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('ready to accept connections')) resolve()
    })
    server.once('exit', () => reject(new Error(`Failed to start Postgres: it ended. It said:\n${output}`)))
  })
}
