import type { Topology } from './startTopology.test.kit.js'
import { expect } from 'vitest'
import { type Clients, connect } from './clients.test.kit.js'
import { type Load, startLoad } from './startLoad.test.kit.js'

export const KEY = 'stagepass:{main}:budget:state'
/** More than a window holds. */
export const BUSY = 26

interface Failover {
  readonly name: string
  readonly start: () => Promise<Topology>
  readonly clients: Parameters<typeof connect>[0]
  /** How long the load continues after the failover, in windows. */
  readonly windows: number
  /** Called before the master is killed. */
  readonly before?: (topology: Topology, master: number) => Promise<unknown>
}

/**
 * Kills the master under load, and waits until each instance is back. Returns how many requests the upstream
 * refused.
 */
export async function failover({ name, start, clients, windows, before }: Failover): Promise<number> {
  await using topology = await start()
  await using connected = await connect(clients, topology.ports)
  await using load = await startLoad(connected.list)
  await load.more(2 * BUSY)
  await load.shared()

  const master = await topology.masterOf(KEY)
  await before?.(topology, master)
  if (before) await load.more(8)
  print(`${name}, all well`, load)
  await topology.kill(master)
  const masterNow = (): Promise<number> => topology.masterOf(KEY).catch(() => master)
  // Some of these come while there is no master.
  while ((await masterNow()) === master) await load.more(1)
  print(`${name}, no master`, load)
  await load.shared()
  const backAt = performance.now()
  print(`${name}, until all share again`, load)
  await load.more(windows * BUSY)
  print(`${name}, after that`, load)
  await served(load, connected, backAt)
  const lost = load.events.filter(({ reason }) => reason === 'lost')
  expect(new Set(lost.map(({ instance }) => instance)).size).toBe(connected.list.length)
  return load.limited()
}

/** Waits until each instance has sent a request. */
export async function served(load: Load, clients: Clients, since: number): Promise<void> {
  while (load.served(since).length < clients.list.length) await load.more(1)
}

/** A row for docs/decisions/redis-clients.md. */
export function print(what: string, load: Load): void {
  const { pauseMs, answers, lastedMs } = load.pause()
  process.stdout.write(`${what}: ${answers} answers in ${lastedMs} ms, longest pause ${pauseMs} ms\n`)
}
