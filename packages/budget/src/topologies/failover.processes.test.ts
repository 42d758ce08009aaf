import { startCluster, startSentinel, type Topology } from '@stagepass/testing'
import { expect, it } from 'vitest'
import { type Clients, connectCluster, connectSentinel } from './clients.test.kit.js'
import { type Load, startLoad } from './startLoad.test.kit.js'

/* The master is killed under load. Not one request may be refused, and each instance comes back. */

const KEY = 'stagepass:{main}:budget'
/** More than a window holds. */
const BUSY = 26

const print = (what: string, load: Load): void => {
  const { pauseMs, answers, lastedMs } = load.pause()
  process.stdout.write(`${what}: ${answers} answers in ${lastedMs} ms, longest pause ${pauseMs} ms\n`)
}

interface Failover {
  readonly start: () => Promise<Topology>
  readonly connect: (ports: readonly number[]) => Promise<Clients>
  readonly before?: (topology: Topology, master: number) => Promise<unknown>
}

/** Returns how many requests the upstream refused. */
async function failover({ start, connect, before }: Failover): Promise<number> {
  await using topology = await start()
  await using clients = await connect(topology.ports)
  await using load = await startLoad(clients.list)
  await load.more(3 * BUSY)
  await load.shared()

  const master = await topology.masterOf(KEY)
  await before?.(topology, master)
  if (before) await load.more(8)
  load.pause()
  await topology.kill(master)
  const masterNow = (): Promise<number> => topology.masterOf(KEY).catch(() => master)
  // Some of these come while there is no master.
  while ((await masterNow()) === master) await load.more(1)
  print(`${topology.kind}, no master`, load)
  await load.shared()
  const backAt = performance.now()
  print(`${topology.kind}, until all share again`, load)
  await load.more(2 * BUSY)
  print(`${topology.kind}, after that`, load)
  while (load.served(backAt).length < clients.list.length) await load.more(1)
  const lost = load.events.filter(({ type }) => type === 'budget.store-lost')
  expect(new Set(lost.map(({ instance }) => instance)).size).toBe(clients.list.length)
  return load.limited()
}

it('the master of a Sentinel is killed: node-redis and ioredis, current and previous major', async () => {
  const limited = await failover({ start: startSentinel, connect: connectSentinel })
  expect(limited).toBe(0)
})

it('the replica of a Sentinel has lost the last writes when it takes over', async () => {
  const limited = await failover({
    start: startSentinel,
    connect: connectSentinel,
    async before(topology, master) {
      // From now on the replica cannot come back to its master.
      await topology.command(master, 'config', 'set', 'requirepass', 'unknown')
      await topology.command(
        master,
        '-a',
        'unknown',
        '--no-auth-warning',
        'client',
        'kill',
        'type',
        'replica',
      )
    },
  })
  expect(limited).toBe(0)
})

it('the master of a Cluster is killed: node-redis 6, ioredis 6 and 5', async () => {
  const limited = await failover({ start: startCluster, connect: connectCluster })
  expect(limited).toBe(0)
})

it('the slot of the account moves to another node of a Cluster', async () => {
  await using topology = await startCluster()
  await using clients = await connectCluster(topology.ports)
  await using load = await startLoad(clients.list)
  await load.more(BUSY)
  const from = await topology.masterOf(KEY)
  const to = await topology.masterOf(await otherKey(topology, from))
  const id = async (port: number): Promise<string> => topology.command(port, 'cluster', 'myid')
  const slot = await topology.command(from, 'cluster', 'keyslot', KEY)
  const ids = { from: await id(from), to: await id(to) }
  load.pause()
  await topology.command(to, 'cluster', 'setslot', slot, 'importing', ids.from)
  await topology.command(from, 'cluster', 'setslot', slot, 'migrating', ids.to)
  await topology.command(from, 'migrate', '127.0.0.1', String(to), KEY, '0', '5000')
  await topology.command(to, 'cluster', 'setslot', slot, 'node', ids.to)
  await topology.command(from, 'cluster', 'setslot', slot, 'node', ids.to)
  await load.more(2 * BUSY)
  print('a slot moved', load)
  expect(await topology.command(to, 'exists', KEY)).toBe('1')
  expect(load.limited()).toBe(0)
})

/** A key that another master holds. */
async function otherKey(topology: Topology, master: number): Promise<string> {
  for (let index = 0; ; index += 1)
    if ((await topology.masterOf(`key ${index}`)) !== master) return `key ${index}`
}
