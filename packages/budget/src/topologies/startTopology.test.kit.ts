import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts } from '@stagepass/testing/freePorts'

export interface Topology extends AsyncDisposable {
  readonly kind: 'sentinel' | 'cluster'
  /** The sentinels, or all nodes of the cluster. */
  readonly ports: readonly number[]
  /** Port of the master that holds the key. */
  masterOf(key: string): Promise<number>
  /** Sends a command to the server on a port, as redis-cli does. */
  command(port: number, ...words: string[]): Promise<string>
  /** Kills the server on a port. */
  kill(port: number): Promise<void>
}

/** Time without an answer after which sentinels and cluster nodes count a master as down. */
const DOWN_AFTER_MS = 2_000

/** A master, a replica and three sentinels. The master is called `main`. */
export async function startSentinel(): Promise<Topology> {
  const servers = createServers()
  try {
    const [master = 0, replica = 0, ...sentinels] = await freePorts(5)
    await servers.launch(master, [])
    await servers.launch(replica, [`replicaof 127.0.0.1 ${master}`])
    const settings = [
      `sentinel monitor main 127.0.0.1 ${master} 2`,
      `sentinel down-after-milliseconds main ${DOWN_AFTER_MS}`,
      'sentinel failover-timeout main 5000',
    ]
    for (const port of sentinels) await servers.launch(port, settings, ['--sentinel'])
    const [first = 0] = sentinels
    const masterOf = async (): Promise<number> =>
      Number((await servers.command(first, 'sentinel', 'get-master-addr-by-name', 'main')).split('\n')[1])
    await until(async () => {
      const info = await servers.command(first, 'sentinel', 'master', 'main')
      return /num-slaves\n1\n/.test(info) && /num-other-sentinels\n2\n/.test(info)
    })
    return { kind: 'sentinel', ports: sentinels, masterOf, ...servers }
  } catch (error) {
    await servers[Symbol.asyncDispose]()
    throw error
  }
}

/** Three masters, each with a replica. */
export async function startCluster(): Promise<Topology> {
  const servers = createServers()
  try {
    const ports = await freeClusterPorts(6)
    for (const port of ports)
      await servers.launch(port, ['cluster-enabled yes', `cluster-node-timeout ${DOWN_AFTER_MS}`])
    const [first = 0] = ports
    const nodes = ports.map((port) => `127.0.0.1:${port}`)
    const options = ['--cluster', 'create', ...nodes, '--cluster-replicas', '1', '--cluster-yes']
    await servers.command(first, ...options)
    const states = () => Promise.all(ports.map((port) => servers.command(port, 'cluster', 'nodes')))
    await until(async () => (await states()).every((text) => text.match(/slave/g)?.length === 3))
    await until(async () =>
      (await Promise.all(ports.map((port) => servers.command(port, 'cluster', 'info')))).every((text) =>
        text.includes('cluster_state:ok'),
      ),
    )
    const masterOf = async (key: string): Promise<number> => {
      const slot = Number(await servers.command(first, 'cluster', 'keyslot', key))
      const port = (await servers.command(first, 'cluster', 'nodes'))
        .split('\n')
        .filter((line) => line.includes('master') && !line.includes('fail'))
        .find((line) => rangesOf(line).some(([from, to]) => slot >= from && slot <= to))
        ?.match(/:(\d+)@/)?.[1]
      return Number(port)
    }
    return { kind: 'cluster', ports, masterOf, ...servers }
  } catch (error) {
    await servers[Symbol.asyncDispose]()
    throw error
  }
}

function rangesOf(line: string): [from: number, to: number][] {
  return Array.from(line.matchAll(/ (\d+)(?:-(\d+))?(?= |$)/g))
    .slice(3)
    .map(([, from, to]) => [Number(from), Number(to ?? from)])
}

function createServers() {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-redis-'))
  const program = process.env.REDIS_SERVER_PATH ?? 'redis-server'
  const cli = join(dirname(program), program.endsWith('valkey-server') ? 'valkey-cli' : 'redis-cli')
  const children = new Map<number, ChildProcess>()
  // They must end with the test run, also if the run is interrupted.
  const endAll = (): void => {
    for (const child of children.values()) child.kill('SIGKILL')
  }
  process.once('exit', endAll)

  const kill = async (port: number): Promise<void> => {
    const child = children.get(port)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  return {
    kill,
    async command(port: number, ...words: string[]): Promise<string> {
      const { stdout } = await promisify(execFile)(cli, ['-p', String(port), ...words])
      return stdout.trim()
    },
    async launch(port: number, settings: readonly string[], mode: readonly string[] = []): Promise<void> {
      const file = join(folder, `${port}.conf`)
      const lines = [`port ${port}`, 'bind 127.0.0.1', 'protected-mode no', `dir ${folder}`, ...settings]
      if (mode.length === 0) lines.push('save ""', `dbfilename ${port}.rdb`, 'repl-diskless-sync-delay 0')
      if (settings[0]?.startsWith('cluster')) lines.push(`cluster-config-file nodes-${port}.conf`)
      writeFileSync(file, `${lines.join('\n')}\n`)
      const child = spawn(program, [file, ...mode], { stdio: 'ignore' })
      children.set(port, child)
      child.once('error', () => {})
      await until(async () => {
        if (child.exitCode !== null)
          throw new StartError(`${program} on port ${port} exited with ${child.exitCode}.`)
        return (await this.command(port, 'ping')) === 'PONG'
      })
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(Array.from(children.keys(), kill))
      process.off('exit', endAll)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Below the ports that the system uses for outgoing connections, even after a cluster adds 10,000 for its
 * bus.
 */
const CLUSTER_PORTS = { from: 11_000, to: 20_000 }
const BUS_OFFSET = 10_000

/** Returns ports that are free now, together with those of the bus. */
async function freeClusterPorts(count: number): Promise<number[]> {
  const { from, to } = CLUSTER_PORTS
  const ports: number[] = []
  while (ports.length < count) {
    const port = from + Math.floor(Math.random() * (to - from))
    const pair = await Promise.allSettled([takePort(port), takePort(port + BUS_OFFSET)])
    const servers = pair.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    await Promise.all(servers.map(release))
    if (servers.length === 2 && !ports.includes(port)) ports.push(port)
  }
  return ports
}

/** Listens on a port. Rejects if it is not free. */
async function takePort(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function release(server: Server): Promise<void> {
  server.close()
  await once(server, 'close')
}

class StartError extends Error {
  constructor(reason: string) {
    super(`Failed to start the servers of a test: ${reason}`)
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const endAt = performance.now() + 60_000
  for (;;) {
    const isReady = await holds().catch((error: unknown) => {
      if (error instanceof StartError) throw error
      return false
    })
    if (isReady) return
    if (performance.now() > endAt) throw new StartError('not ready in 60 s.')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
