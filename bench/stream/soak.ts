import { clientOf } from '../../packages/react/src/client/createVoiceClient.js'
import { createVirtualVoice } from '../../packages/react/src/virtual/createVirtualVoice.test.kit.js'
import { streamsOf } from '../../packages/react/src/stream/streamsOf.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const FRAME_MS = 200

/** Bytes in use, after a garbage collection if node allows one (`--expose-gc`). */
function heapBytes(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

/**
 * One stream for a day of virtual time: a frame every 200 ms, tokens of 5 minutes with a seamless rollover,
 * and several failures every hour. Every frame must arrive once, or be counted as dropped.
 */
export async function soak(hold: (what: string, value: number, most: number) => void): Promise<void> {
  console.log(
    '\nA day in virtual time: a frame every 200 ms, tokens of 5 minutes, seamless rollover; cuts, sleeps, outages',
  )
  const voice = createVirtualVoice({ ttlMs: 5 * 60_000 })
  const { service } = voice
  const stream = streamsOf(clientOf(voice.client)).of('stt', 'soak')
  const leave = stream.join({ enabled: true, settings: () => ({ rollover: 'seamless' }) })

  let arrived = 0
  let lastArrived = -1
  let swapped = 0
  service.onMessage = (_, data) => {
    arrived += 1
    if (Number(data) <= lastArrived) swapped += 1
    lastArrived = Number(data)
  }

  const troubles: readonly ((hour: number) => void | Promise<void>)[] = [
    () => service.connections.at(-1)?.drop(),
    () => service.connections.at(-1)?.close(1001, 'restarting'),
    () => service.refuse('unauthorized', { times: 1 }),
    () => service.failToken('CACHE_UNAVAILABLE', { times: 3 }),
    () => voice.sleep(20 * 60_000),
    () => voice.setOnline(false),
    () => voice.setOnline(true),
    () => service.hang({ times: 2 }),
    () => void (service.cutAtExpiry = !service.cutAtExpiry),
    () => void (service.maxSessions = service.maxSessions === 1 ? Infinity : 1),
  ]

  const startedAt = performance.now()
  const begunAt = voice.now()
  let frames = 0
  let nextTrouble = 0
  let heapAfterHour = 0
  while (voice.now() - begunAt < DAY_MS) {
    for (let sent = 0; sent < 300_000 / FRAME_MS; sent += 1) {
      stream.send(String(frames))
      frames += 1
      await voice.advance(FRAME_MS)
    }
    await troubles[nextTrouble % troubles.length]?.(nextTrouble)
    nextTrouble += 1
    if (heapAfterHour === 0 && voice.now() - begunAt > 2 * HOUR_MS) heapAfterHour = heapBytes()
  }
  voice.setOnline(true)
  await voice.advance(60_000)
  const dropped = stream.stats().dropped
  const heapGrown = (heapBytes() - heapAfterHour) / 1_024
  leave()
  await voice.advance(1_000)

  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  const count = (type: string): number => voice.events.filter((event) => event.type === type).length
  console.log(
    `  ${frames} frames in ${seconds} s: ${arrived} arrived, ${dropped} dropped and counted; ${service.handshakes.length} handshakes, ${service.tokensGranted} tokens, ${count('stream.rolled_over')} rollovers, ${count('stream.rollover_refused')} refused, ${count('stream.reconnecting')} reconnects`,
  )
  console.log(`  heap since the second hour: ${heapGrown.toFixed(0)} KiB, the test's own records included`)
  hold('frames neither arrived nor counted', Math.abs(frames - arrived - dropped), 0)
  hold('frames out of order or twice', swapped, 0)
  hold(
    'handshakes on an expired token',
    service.handshakes.filter(({ at, expiresAt }) => expiresAt <= at).length,
    0,
  )
  hold('timers left', voice.timers, 0)
  hold('sockets left', service.attempts.filter(({ status }) => status !== 'closed').length, 0)
}
