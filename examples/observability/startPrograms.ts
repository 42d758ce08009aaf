import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator, type Emulator, fail } from '@stagepass/emulator'

export interface Ports {
  readonly service: number
  readonly redis: number
  readonly instances: readonly { readonly bff: number; readonly metrics: number }[]
  readonly prometheus: number
}

/** The parts that can be broken on purpose. */
export const PARTS = ['service', 'redis', 'key'] as const
type Part = (typeof PARTS)[number]

export interface Programs extends AsyncDisposable {
  stop(part: Part): Promise<void>
  start(part: Part): Promise<void>
}

/** The voice service (an emulator), Redis, the instances and Prometheus. `config` is Prometheus' file. */
export async function startPrograms(ports: Ports, config: string): Promise<Programs> {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-observability-'))
  const running = new Set<ChildProcess>()

  const spawnOn = async (
    port: number,
    debian: string,
    command: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<ChildProcess> => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    let errors = ''
    child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-2_000)))
    const ended = new Promise<never>((_, reject) => {
      const remedy = `Install it (Debian: apt-get install ${debian}).`
      child.once('error', (cause) =>
        reject(new Error(`Failed to start ${command}: it cannot be run. ${remedy}`, { cause })),
      )
      child.once('exit', () => reject(new Error(`Failed to start ${command} on port ${port}. ${errors}`)))
    })
    ended.catch(() => undefined)
    await Promise.race([listens(port), ended])
    return child
  }

  const startRedis = (): Promise<ChildProcess> => {
    const args = ['--port', String(ports.redis), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
    return spawnOn(ports.redis, 'redis-server', process.env.REDIS_SERVER_PATH ?? 'redis-server', args)
  }

  const startInstance = ({ bff, metrics }: Ports['instances'][number]): Promise<ChildProcess> => {
    const args = ['--import', 'tsx', join(import.meta.dirname, 'instance.ts')]
    return spawnOn(bff, 'nodejs', process.execPath, args, {
      PORT: String(bff),
      METRICS_PORT: String(metrics),
      REDIS_URL: `redis://127.0.0.1:${ports.redis}`,
      VOICE_API_KEY: service.apiKey,
      VOICE_BASE_URL: service.baseUrl,
      VOICE_STREAMING_URL: service.streamingUrl,
      VOICE_MEETINGS_URL: service.meetingsUrl,
      VOICE_MEETINGS_TOKEN: service.meetingsCredential,
    })
  }

  const startPrometheus = (): Promise<ChildProcess> => {
    const address = `127.0.0.1:${ports.prometheus}`
    return spawnOn(ports.prometheus, 'prometheus', process.env.PROMETHEUS_PATH ?? 'prometheus', [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'prometheus')}`,
      `--web.listen-address=${address}`,
    ])
  }

  const close = async (): Promise<void> => {
    process.off('exit', kill)
    await Promise.all(Array.from(running, end))
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const kill = (): void => {
    for (const child of running) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', kill)

  // It has the same keys each time.
  const startService = (): Promise<Emulator> => createEmulator({ port: ports.service })
  let service = await startService()
  let redis: ChildProcess
  try {
    redis = await startRedis()
    await Promise.all([...ports.instances.map(startInstance), startPrometheus()])
  } catch (error) {
    await close()
    throw error
  }

  return {
    async stop(part) {
      if (part === 'key') service.use(fail('AUTH_API_KEY_EXPIRED', { on: 'token' }))
      else await (part === 'redis' ? end(redis) : service.close())
    },
    async start(part) {
      if (part === 'key') service.reset()
      else if (part === 'redis') redis = await startRedis()
      else service = await startService()
    },
    [Symbol.asyncDispose]: close,
  }
}

/** Kills it, as a crash would. */
async function end(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Resolves when the port takes connections. */
async function listens(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
