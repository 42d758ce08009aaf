import { expect, it } from 'vitest'
import { CLUSTER, type Clients, connect, LOST_CLUSTER, SENTINEL } from './clients.test.kit.js'
import { BUSY, failover, KEY, print } from './failover.test.kit.js'
import { startLoad } from './startLoad.test.kit.js'
import { startCluster, startSentinel, type Topology } from './startTopology.test.kit.js'

/*
 * The master is killed under load, with every client.
 */

const WINDOWS = 2
const KEYS = [KEY, KEY.replace('state', 'slots')]

it('the master of a Sentinel is killed: node-redis and ioredis, current and previous major', async () => {
  const limited = await failover({
    name: 'Sentinel',
    start: startSentinel,
    clients: SENTINEL,
    windows: WINDOWS,
  })
  expect(limited).toBe(0)
})

it('the replica of a Sentinel has lost the last writes when it takes over', async () => {
  const limited = await failover({
    name: 'Sentinel, writes lost',
    start: startSentinel,
    clients: SENTINEL,
    windows: WINDOWS,
    async before(topology, master) {
      // From now on the replica cannot come back to its master.
      await topology.command(master, 'config', 'set', 'requirepass', 'unknown')
      const kill = ['-a', 'unknown', '--no-auth-warning', 'client', 'kill', 'type', 'replica']
      await topology.command(master, ...kill)
    },
  })
  expect(limited).toBe(0)
})

it('the master of a Cluster is killed: node-redis 6, ioredis 6 and 5', async () => {
  const limited = await failover({ name: 'Cluster', start: startCluster, clients: CLUSTER, windows: WINDOWS })
  expect(limited).toBe(0)
})

it('the slot of the account moves to another node of a Cluster', async () => {
  await using topology = await startCluster()
  await using clients = await connect(CLUSTER, topology.ports)
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
  await topology.command(from, 'migrate', '127.0.0.1', String(to), '', '0', '5000', 'keys', ...KEYS)
  await topology.command(to, 'cluster', 'setslot', slot, 'node', ids.to)
  await topology.command(from, 'cluster', 'setslot', slot, 'node', ids.to)
  await load.more(2 * BUSY)
  print('Cluster, a slot moved', load)
  expect(await topology.command(to, 'exists', KEY)).toBe('1')
  expect(load.limited()).toBe(0)
})

it('the cluster client of node-redis 5 does not find the new master: the budget refuses it', async () => {
  await using topology = await startCluster()
  await using found = await connect({ new: CLUSTER['node-redis 6'] }, topology.ports)
  await using lost = await connect(LOST_CLUSTER, topology.ports)
  // True if a call succeeds. The old client never recovers, however often it is called.
  const answers = async ({ list: [client] }: Clients): Promise<boolean> => {
    try {
      await Reflect.get(client ?? {}, 'eval').call(client, 'return 1', { keys: [KEY], arguments: [] })
      return true
    } catch {
      return false
    }
  }
  await topology.kill(await topology.masterOf(KEY))
  while (!(await answers(found))) await topology.masterOf(KEY).catch(() => 0)
  for (let times = 0; times < 100; times += 1) {
    expect(await answers(found)).toBe(true)
    expect(await answers(lost)).toBe(false)
  }
})

/** A key that another master holds. */
async function otherKey(topology: Topology, master: number): Promise<string> {
  for (let index = 0; ; index += 1)
    if ((await topology.masterOf(`key ${index}`)) !== master) return `key ${index}`
}
