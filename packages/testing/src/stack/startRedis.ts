import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'

const clientOf = (path: string) =>
  createClient({ socket: { path, tls: false, reconnectStrategy: 20 }, disableOfflineQueue: true }).on(
    'error',
    () => undefined,
  )

type RedisConnection = ReturnType<typeof clientOf>

export interface RedisServer extends AsyncDisposable {
  /** Path of its unix socket. It has no port. */
  readonly socketPath: string
  /** Its process id, for tests that pause it. */
  readonly pid: number
  /** A client of node-redis, which ends with the server. */
  connect(): Promise<RedisConnection>
  /** Kills the server, and after `downMs` starts an empty one on the same socket. */
  restart(downMs?: number): Promise<void>
  close(): Promise<void>
}

/**
 * Starts an empty redis-server that does not save its data. `REDIS_SERVER_PATH` is the path of the program.
 * `env`: variables for its process.
 */
export async function startRedis(env: NodeJS.ProcessEnv = {}): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-redis-'))
  const socketPath = join(folder, 'redis.sock')
  const clients: RedisConnection[] = []
  let server = await launch(folder, socketPath, env)

  const stop = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, 'exit')
    server.kill('SIGKILL')
    await gone
  }
  const close = async (): Promise<void> => {
    for (const client of clients) if (client.isOpen) client.destroy()
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }

  return {
    socketPath,
    get pid() {
      return server.pid ?? 0
    },
    connect() {
      const client = clientOf(socketPath)
      clients.push(client)
      return client.connect()
    },
    async restart(downMs = 0) {
      await stop()
      await new Promise((resolve) => setTimeout(resolve, downMs))
      server = await launch(folder, socketPath, env)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function launch(folder: string, socketPath: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const program = process.env.REDIS_SERVER_PATH ?? 'redis-server'
  const settings = ['--port', '0', '--unixsocket', socketPath, '--save', '', '--dir', folder]
  const server = spawn(program, settings, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  // The child process must end with the test run, even if the run is interrupted.
  const kill = (): void => void server.kill('SIGKILL')
  process.once('exit', kill)
  server.once('exit', () => process.off('exit', kill))
  await new Promise<void>((resolve, reject) => {
    let output = ''
    server.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (/ready to accept connections|server is now ready/i.test(output)) resolve()
    })
    server.once('error', (cause) =>
      reject(
        new Error(
          `Failed to start Redis: ${program} cannot be run. Install redis-server or set REDIS_SERVER_PATH.`,
          {
            cause,
          },
        ),
      ),
    )
    server.once('exit', () => reject(new Error(`Failed to start Redis: it ended. Its output:\n${output}`)))
  })
  return server
}
