import type { Run } from './measure.js'
import { median, openPage, passed, shown } from './measure.js'

/** Measures how the heap grows with mounts and with reconnects. */
export async function heap({ chromium, site, hold }: Run): Promise<void> {
  console.log('\nHeap in KiB a 500')
  {
    await using page = await openPage(chromium, site, 'nothing')
    // Heap snapshots before and after 8,000 mounts differ only in compiled code and in the engine's
    // performance entries. Both grow in steps of up to 40 KiB, so a block is 2,000 mounts.
    await page.evaluate('bench.mounts(3000, 0)')
    const readings = [await page.heap()]
    for (let block = 0; block < 3; block += 1) {
      await page.evaluate(`bench.mounts(2000, ${10_000 * (block + 1)})`)
      readings.push(await page.heap())
    }
    const grown = readings.slice(1).map((reading, index) => (reading - (readings[index] ?? 0)) / 4 / 1_024)
    console.log(
      `  mounts and unmounts: ${grown.map(shown).join(', ')}; sockets left: ${site.upstream.sockets.length}`,
    )
    hold('500 mounts, median block, KiB', median(grown), 20)
    hold('500 mounts, last block, KiB', grown.at(-1) ?? NaN, 20)
    hold('sockets left', site.upstream.sockets.length, 0)
  }
  {
    await using page = await openPage(chromium, site, 'nothing')
    await page.evaluate(
      'bench.hold({ reconnect: { minDelayMs: 1, maxDelayMs: 1, stableMs: 0, maxAttempts: Infinity } })',
    )
    const cut = async (times: number): Promise<void> => {
      for (let done = 0; done < times; done += 1) {
        const [socket] = site.upstream.sockets
        socket?.close(1008, 'unauthorized')
        while (site.upstream.sockets[0] === socket || site.upstream.sockets.length === 0) await passed(1)
        // Wait until the connection is stable.
        await passed(8)
      }
      await page.evaluate('bench.events.length = 0')
    }
    await cut(1_000)
    const tokens = site.upstream.counts.token
    const readings = [await page.heap()]
    for (let block = 0; block < 3; block += 1) {
      await cut(500)
      readings.push(await page.heap())
    }
    const grown = readings.slice(1).map((reading, index) => (reading - (readings[index] ?? 0)) / 1_024)
    console.log(
      `  reconnects on one mount: ${grown.map(shown).join(', ')}; tokens minted for them: ${site.upstream.counts.token - tokens}`,
    )
    hold('500 reconnects, median block, KiB', median(grown), 50)
    hold('500 reconnects, last block, KiB', grown.at(-1) ?? NaN, 50)
  }
}
