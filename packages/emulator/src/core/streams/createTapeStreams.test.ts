import { createTapeWriter, type TapeMoment } from '@stagepass/contract'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { describe, expect, it } from 'vitest'
import { createTapeStreams } from './createTapeStreams.js'

function tapeOf(moments: readonly TapeMoment[]): string {
  const writer = createTapeWriter('2026-11-28T12:03:00.000Z')
  for (const moment of moments) writer.add(moment)
  return writer.take()
}

/** A minute of two connections: sound each 20.1 ms, texts, a drop. */
const TALK = tapeOf([
  { at: 0, type: 'connect', n: 1, product: 'vt' },
  { at: 80, type: 'open', n: 1 },
  ...Array.from({ length: 1_500 }, (_, nth): TapeMoment[] => {
    const at = 100 + nth * 20.1
    const text: TapeMoment = { at: at + 1, type: 'in', n: 1, data: `{"transcript":{"text":"${nth}"}}` }
    return [{ at, type: 'in', n: 1, data: 640 }, ...(nth % 25 === 0 ? [text] : [])]
  }).flat(),
  { at: 31_000, type: 'close', n: 1, code: 1006, reason: '' },
  { at: 31_200, type: 'connect', n: 2, product: 'vt' },
  { at: 31_300, type: 'open', n: 2 },
  { at: 31_900, type: 'in', n: 2, data: 'hello' },
  { at: 40_000, type: 'close', n: 2, code: 1011, reason: 'restart' },
])

type Played = readonly [afterMs: number, what: string | number]

/** What a page receives on the first connections, one after the other. */
async function replay(tape: string, seed?: number): Promise<Played[][]> {
  const streams = createTapeStreams(tape, seed)
  const connections: Played[][] = []
  const next = () => streams.next({ product: 'vt', sessionKey: 'key' }, false)
  for (let stream = next(); typeof stream === 'function'; stream = next()) {
    const clock = virtualClock()
    const start = clock.now()
    const got: Played[] = []
    const add = (what: string | number): void => void got.push([clock.now() - start, what])
    stream(
      {
        send: (data) =>
          add(typeof data === 'string' ? data : data.some(Boolean) ? [...data].join(' ') : data.length),
        close: (code, reason) => add(`close ${code} ${reason}`),
        drop: () => add('drop'),
      },
      { now: () => clock.now(), after: (delayMs, task) => clock.after(delayMs, task) },
    )
    clock.jump(60_000)
    connections.push(got)
  }
  return connections
}

it('plays each message at its time after the opening, and the close', async () => {
  const [first = [], second] = await replay(TALK)
  expect(first.length).toBe(1_500 + 60 + 1)
  for (const [nth, [afterMs]] of first.filter(([, what]) => what === 640).entries())
    expect(Math.abs(afterMs - (20 + nth * 20.1))).toBeLessThan(0.11)
  expect(first.at(-1)).toEqual([30_920, 'drop'])
  expect(second).toEqual([
    [600, 'hello'],
    [8_700, 'close 1011 restart'],
  ])
})

it('50 replays have the same messages, order and gaps', async () => {
  const first = JSON.stringify(await replay(TALK))
  for (let nth = 0; nth < 50; nth += 1) expect(JSON.stringify(await replay(TALK)) === first).toBe(true)
})

describe('with sound', () => {
  const SPOKEN = tapeOf([
    { at: 0, type: 'connect', n: 1, product: 'vt' },
    { at: 0, type: 'open', n: 1 },
    ...[1, 3, 5].map((nth): TapeMoment => ({
      at: nth,
      type: 'in',
      n: 1,
      data: Uint8Array.of(nth, 0, nth + 1, 0),
    })),
  ])

  it('plays it', async () => {
    expect(await replay(SPOKEN)).toEqual([
      [
        [1, '1 0 2 0'],
        [3, '3 0 4 0'],
        [5, '5 0 6 0'],
      ],
    ])
  })

  it('in other chunks it is the same sound', async () => {
    for (const seed of [1, 2, 3, 4]) {
      const [played = []] = await replay(SPOKEN, seed)
      expect(played.map(([, sound]) => sound).join(' ')).toBe('1 0 2 0 3 0 4 0 5 0 6 0')
      expect(played.map(([, sound]) => sound)).not.toEqual(['1 0 2 0', '3 0 4 0', '5 0 6 0'])
    }
  })
})

describe('in other chunks', () => {
  const bytesOf = (played: readonly Played[]): number =>
    played.reduce((sum, [, what]) => sum + (typeof what === 'number' ? what : 0), 0)
  const textsOf = (played: readonly Played[]) => played.filter(([, what]) => typeof what === 'string')

  it('has the same texts at the same times, and as many bytes before each', async () => {
    const [plain = []] = await replay(TALK)
    for (const seed of [1, 2, 3]) {
      const [first = []] = await replay(TALK, seed)
      expect(textsOf(first)).toEqual(textsOf(plain))
      const before = (all: readonly Played[], text: unknown) =>
        bytesOf(
          all.slice(
            0,
            all.findIndex(([, what]) => what === text),
          ),
        )
      for (const [, text] of textsOf(plain)) expect(before(first, text)).toBe(before(plain, text))
      expect(first.some(([, what]) => typeof what === 'number' && what !== 640)).toBe(true)
      expect(first.every(([, what]) => typeof what === 'string' || what % 2 === 0)).toBe(true)
    }
  })

  it('is the same for the same seed', async () => {
    expect(await replay(TALK, 7)).toEqual(await replay(TALK, 7))
    expect(await replay(TALK, 7)).not.toEqual(await replay(TALK, 8))
  })
})
