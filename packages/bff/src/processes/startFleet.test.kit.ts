import { type ChildProcess, spawn } from 'node:child_process'
import type { SessionsOptions } from '@stagepass/bff'
import { type RedisServer, startRedis } from '@stagepass/testing'
import { bundleProgram } from '@stagepass/testing/bundleProgram'

/** The settings of an instance about the service, and the log of the service. */
export interface FleetUpstream {
  readonly apiKey: string
  readonly baseUrl: string
  readonly streamingUrl: string
  readonly meetingsUrl: string
  readonly meetingsCredential: string
  readonly requests: readonly { readonly path: string; readonly status: number | null }[]
}

/** Four instances of an account, each in its own process, and a redis-server. */
export interface Instances extends AsyncDisposable {
  readonly redis: RedisServer
  readonly instances: readonly ChildProcess[]
  /** Ports of the instances, in the same order. */
  readonly ports: readonly number[]
}

/** Instances with more requests than the account has slots. */
export interface Fleet extends Instances {
  /** Requests that the meetings interface refused with 429. */
  limited(): number
  /** Resolves once this many more requests have got a 200. */
  more(count: number): Promise<void>
}

const CLIENTS = ['node-redis', 'ioredis', 'node-redis', 'ioredis'] as const
/** Requests in flight to each instance at any time. */
const PARALLEL = 12

/** Returns the file to run. */
export const bundleInstance = (): Promise<string> =>
  bundleProgram(new URL('./instance.test.kit.ts', import.meta.url), 'instance')

/** `program` is what `bundleInstance` returned. */
export async function startInstances(
  upstream: FleetUpstream,
  program: string,
  cacheMs = 0,
  sessions?: SessionsOptions,
): Promise<Instances> {
  const redis = await startRedis()
  const settings = {
    socketPath: redis.socketPath,
    apiKey: upstream.apiKey,
    baseUrl: upstream.baseUrl,
    streamingUrl: upstream.streamingUrl,
    meetingsUrl: upstream.meetingsUrl,
    credential: upstream.meetingsCredential,
    cacheMs,
    sessions,
  }
  const instances = CLIENTS.map((client) => launch(program, { ...settings, client }))
  const end = async (): Promise<void> => {
    for (const instance of instances) instance.kill('SIGKILL')
    await redis.close()
  }
  const ports = await Promise.all(instances.map(portOf)).catch(async (error: unknown) => {
    // If the fleet did not start, none of its processes may outlive the test.
    await end()
    throw error
  })
  return { redis, instances, ports, [Symbol.asyncDispose]: end }
}

/** `program` is what `bundleInstance` returned. */
export async function startFleet(upstream: FleetUpstream, program: string): Promise<Fleet> {
  const fleet = await startInstances(upstream, program)
  const { ports } = fleet
  const stopping = new AbortController()
  const users = ports.flatMap((port, instance) =>
    Array.from({ length: PARALLEL }, (_, index) =>
      keepAsking(port, `user ${index % 3}`, `${instance}.${index}`, stopping.signal),
    ),
  )

  const count = (status: number): number =>
    upstream.requests.filter((request) => request.path.includes('/meetings') && request.status === status)
      .length

  return {
    ...fleet,
    limited: () => count(429),
    async more(wanted) {
      const goal = count(200) + wanted
      while (count(200) < goal) await new Promise((resolve) => setTimeout(resolve, 50))
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await fleet[Symbol.asyncDispose]()
      await Promise.all(users)
    },
  }
}

function launch(program: string, settings: object): ChildProcess {
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // A child process must not outlive an interrupted test run.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      const port = /port (\d+)/.exec(chunk.toString())?.[1]
      if (port !== undefined) resolve(Number(port))
    })
    child.once('exit', () => reject(new Error('Failed to start an instance: it ended before it listened.')))
  })
}

/**
 * Requests the next page as soon as the last one has arrived. After a refusal it waits as long as the
 * response says.
 */
async function keepAsking(port: number, user: string, name: string, signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/meetings?q=${name}.${turn}`, {
        headers: { 'x-stagepass': '1', 'x-user': user },
        signal,
      })
      const body = (await answer.json()) as { retry_after_ms?: number }
      if (!answer.ok) await rest(body.retry_after_ms ?? 500, signal)
    } catch {
      // The instance was killed or is suspended.
      await rest(500, signal)
    }
  }
}

function rest(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, durationMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
