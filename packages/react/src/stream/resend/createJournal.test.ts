import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createJournal, type JournalReader } from './createJournal.js'

const RATE = 16_000
const FRAME_MS = 20
const SAMPLES = 320

/** A frame whose samples say which one it is. Frame 0 is the first. A quiet one is zero. */
function frame(number: number, isSpeech: boolean): Uint8Array {
  const level = 4_000 + (number % 20_000)
  const samples = Int16Array.from({ length: SAMPLES }, (_, at) => (at % 2 ? -level : level))
  return new Uint8Array((isSpeech ? samples : new Int16Array(SAMPLES)).buffer)
}

/** The number of a frame of speech; undefined for quiet. */
function numberOf(bytes: Uint8Array): number | undefined {
  const [sample = 0] = new Int16Array(bytes.slice().buffer)
  return sample === 0 ? undefined : sample - 4_000
}

/** A speaker and a network on a clock of frames. */
function createTalk({ keepMs = 120_000, lagMs = 8_000 } = {}) {
  const released: { position: number; reason: string }[] = []
  let unheard = 0
  let now = 1_000
  let pushed = 0
  const journal = createJournal({
    sampleRate: RATE,
    keepMs: () => keepMs,
    onUnheard: (blocks) => (unheard += blocks),
    copy: { added: () => {}, released: (position, reason) => released.push({ position, reason }) },
  })
  let reader: JournalReader | undefined
  const heard: number[][] = []

  /** Sends at most this many blocks. */
  function send(blocks = Infinity): void {
    let left = blocks
    for (let bytes = reader?.next(); bytes && left > 0; bytes = reader?.next()) {
      const number = numberOf(bytes)
      if (number !== undefined) heard.at(-1)?.push(number)
      reader?.sent(bytes.byteLength, now)
      left -= 1
    }
  }

  function connect(): void {
    reader = journal.begin()
    reader.use()
    heard.push([])
  }

  function lose(): void {
    reader?.end()
    reader = undefined
  }

  return {
    journal,
    released,
    /** The numbers of the frames of speech that each connection got. */
    heard,
    get unheard() {
      return unheard
    },
    get now() {
      return now
    },
    get reader() {
      return reader as JournalReader
    },
    send,
    wait: (ms: number): void => void (now += ms),
    connect,
    lose,
    /** The next connection gets what is not final. Returns the numbers of its frames of speech. */
    reconnect(): number[] {
      lose()
      connect()
      send()
      return heard.at(-1) ?? []
    },
    /** So many frames, which are sent at once if there is a connection. */
    say(frames: number, isSpeech = true): number[] {
      const from = pushed
      for (let count = 0; count < frames; count += 1) {
        now += FRAME_MS
        journal.push(frame(pushed, isSpeech), now)
        pushed += 1
        send()
      }
      return Array.from({ length: frames }, (_, index) => from + index)
    },
    final: (text: { untilMs?: number; durationMs?: number } = {}): void =>
      reader?.final({ lagMs, ...text }, now),
  }
}

const quiet = (talk: ReturnType<typeof createTalk>, frames: number): unknown => talk.say(frames, false)

describe('the seam without times', () => {
  it('moves by one pause a final text, so that the next connection gets what is not final', () => {
    const talk = createTalk()
    talk.connect()
    talk.say(50)
    quiet(talk, 20)
    const second = talk.say(25)
    quiet(talk, 20)
    talk.final()
    expect(talk.journal.isUnfinished()).toBe(true)
    expect(talk.reconnect()).toEqual(second)
    expect(talk.reader.resentMs).toBe(45 * FRAME_MS)
    talk.wait(100)
    talk.final()
    expect(talk.journal.isUnfinished()).toBe(false)
    expect(talk.unheard).toBe(0)
  })

  it('does not take a short utterance for final that was sent before the text of the one before', () => {
    const talk = createTalk()
    talk.connect()
    talk.say(50)
    quiet(talk, 10)
    const short = talk.say(10)
    quiet(talk, 10)
    talk.final()
    expect(talk.reconnect()).toEqual(short)
  })

  it('keeps nothing that was sent longer than the lag before a final text', () => {
    const talk = createTalk({ lagMs: 2_000 })
    talk.connect()
    talk.say(200)
    talk.final()
    talk.reconnect()
    expect(talk.heard[1]?.length).toBeLessThanOrEqual(106)
    expect(talk.heard[1]?.at(-1)).toBe(199)
  })

  it('counts the lag by when sound was sent, not said', () => {
    const talk = createTalk({ lagMs: 2_000 })
    const said = talk.say(500)
    talk.connect()
    talk.send()
    talk.wait(100)
    talk.final()
    expect(talk.reconnect()).toEqual(said)
  })

  it('takes a gap between two frames for a pause, and the end of the frames too', () => {
    const talk = createTalk()
    talk.connect()
    talk.say(50)
    talk.wait(1_000)
    const second = talk.say(50)
    talk.final()
    expect(talk.reconnect()).toEqual(second)
    talk.wait(1_000)
    talk.final()
    expect(talk.journal.isUnfinished()).toBe(false)
  })

  it('moves behind words whose text came before their pause was complete', () => {
    const talk = createTalk()
    talk.connect()
    talk.say(50)
    quiet(talk, 4)
    talk.final()
    expect(talk.journal.isUnfinished()).toBe(true)
    quiet(talk, 10)
    expect(talk.journal.isUnfinished()).toBe(false)
  })

  it('moves to the pause behind words of a known length', () => {
    const talk = createTalk()
    talk.connect()
    talk.say(50)
    quiet(talk, 10)
    talk.say(50)
    quiet(talk, 10)
    const third = talk.say(50)
    quiet(talk, 10)
    talk.final({ durationMs: 2_200 })
    expect(talk.reconnect()).toEqual(third)
  })
})

describe('the seam with times', () => {
  it('is the time of the text, at the nearest pause', () => {
    for (const untilMs of [900, 1_000, 1_100, 1_300]) {
      const talk = createTalk()
      talk.connect()
      talk.say(50)
      quiet(talk, 10)
      const second = talk.say(50)
      talk.final({ untilMs })
      expect(talk.reconnect()).toEqual(second)
    }
  })

  it('is the time itself if no pause is near', () => {
    const talk = createTalk()
    talk.connect()
    const said = talk.say(200)
    talk.final({ untilMs: 2_000 })
    expect(talk.reconnect()).toEqual(said.slice(100))
  })

  it('counts the times of a later connection from the sound that it got', () => {
    const talk = createTalk()
    talk.connect()
    talk.say(50)
    quiet(talk, 10)
    talk.say(50)
    talk.final({ untilMs: 1_000 })
    talk.lose()
    const later = talk.say(50)
    talk.connect()
    talk.send()
    // It begins with the rest of the pause, then a second that was sent before.
    const beginsAtMs = 200
    expect(talk.reader.saidAt(0)).toBe(1_000 + 1_000)
    talk.final({ untilMs: beginsAtMs + 1_000 })
    expect(talk.reconnect()).toEqual(later)
  })

  it('never moves past what was sent, nor by a text of another connection', () => {
    const talk = createTalk()
    talk.connect()
    talk.say(50)
    const old = talk.reader
    talk.final({ untilMs: 60_000 })
    expect(talk.journal.seam()).toBe(50 * SAMPLES)
    talk.lose()
    const said = talk.say(50)
    talk.connect()
    old.final({ untilMs: 60_000, lagMs: 8_000 }, talk.now)
    talk.send()
    expect(talk.heard[1]).toEqual(said)
  })
})

describe('what is kept', () => {
  it('is no quiet before the first word, but 300 ms of it', () => {
    const talk = createTalk()
    quiet(talk, 500)
    expect(talk.journal.end() - talk.journal.seam()).toBe(15 * SAMPLES)
    talk.say(10)
    quiet(talk, 500)
    expect(talk.journal.end() - talk.journal.seam()).toBe(525 * SAMPLES)
    expect(talk.unheard).toBe(0)
  })

  it('is no click', () => {
    const talk = createTalk()
    talk.connect()
    quiet(talk, 50)
    talk.say(2)
    expect(talk.journal.isUnfinished()).toBe(true)
    quiet(talk, 10)
    expect(talk.journal.isUnfinished()).toBe(false)
  })

  it('is the newest, up to keepMs, and the rest is counted', () => {
    const talk = createTalk({ keepMs: 2_000 })
    const said = talk.say(150)
    expect(talk.unheard).toBe(50)
    talk.connect()
    talk.send()
    expect(talk.heard[0]).toEqual(said.slice(50))
    // Sound that the connection has got is not lost.
    talk.say(200)
    expect(talk.unheard).toBe(50)
  })

  it('is nothing after the last text of the service, and that is no loss', () => {
    const talk = createTalk()
    talk.connect()
    talk.say(50)
    quiet(talk, 20)
    talk.say(50)
    talk.journal.settle()
    expect(talk.released.at(-1)).toEqual({ position: 120 * SAMPLES, reason: 'final' })
    expect(talk.unheard).toBe(0)
    expect(talk.journal.isUnfinished()).toBe(false)
    talk.lose()
    talk.connect()
    talk.send()
    expect(talk.heard[1]).toEqual([])
  })

  it('is sent to ten connections, and no more', () => {
    const talk = createTalk()
    const said = talk.say(50)
    for (let connection = 0; connection < 10; connection += 1) {
      talk.connect()
      talk.send()
      expect(talk.heard.at(-1)).toEqual(said)
      talk.lose()
    }
    const later = talk.say(5)
    talk.connect()
    talk.send()
    expect(talk.heard.at(-1)).toEqual(later)
    expect(talk.unheard).toBe(50)
  })

  it('is sent without the middle of a long quiet while a connection is behind', () => {
    const talk = createTalk()
    const before = talk.say(50)
    quiet(talk, 500)
    const after = talk.say(50)
    talk.connect()
    let blocks = 0
    for (let bytes = talk.reader.next(); bytes; bytes = talk.reader.next()) {
      talk.reader.sent(bytes.byteLength, talk.now)
      blocks += 1
    }
    expect(blocks).toBeLessThan(before.length + after.length + 40)
    // Times are still those of the sound.
    const lastMs = (blocks - 50) * FRAME_MS
    expect(talk.reader.saidAt(lastMs)).toBe(talk.now - 1_000)
  })
})

type Step =
  { readonly do: 'say' | 'quiet' | 'wait' | 'send'; readonly count: number } | 'connect' | 'lose' | 'final'

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('say' as const, 'quiet' as const),
        count: fc.integer({ min: 3, max: 120 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constantFrom('wait' as const, 'send' as const),
        count: fc.integer({ min: 1, max: 400 }),
      }),
    },
    { weight: 3, arbitrary: fc.constantFrom('connect' as const, 'lose' as const, 'final' as const) },
  ),
  { maxLength: 60 },
)

const times = fc.record({ keepMs: fc.constantFrom(2_000, 120_000), hasTimes: fc.boolean() })

it('keeps each word that is not final, in order, after any plan of connections and texts', () => {
  fc.assert(
    fc.property(steps, times, (plan, { keepMs, hasTimes }) => {
      const talk = createTalk({ keepMs })
      const said: number[] = []
      let isOpen = false
      let seam = 0
      for (const step of plan) {
        if (step === 'connect') {
          if (isOpen) talk.lose()
          talk.connect()
          isOpen = true
        } else if (step === 'lose') {
          talk.lose()
          isOpen = false
        } else if (step === 'final') talk.final(hasTimes ? { untilMs: talk.now % 5_000 } : {})
        else if (step.do === 'wait') talk.wait(step.count)
        else if (step.do === 'send') talk.send(step.count)
        else {
          const numbers = talk.say(step.count, step.do === 'say')
          if (step.do === 'say') said.push(...numbers)
        }
        // The seam moves forward alone, and never past the end.
        expect(talk.journal.seam()).toBeGreaterThanOrEqual(seam)
        seam = talk.journal.seam()
        expect(seam).toBeLessThanOrEqual(talk.journal.end())
        expect(talk.journal.end() - seam).toBeLessThanOrEqual((keepMs / FRAME_MS) * SAMPLES)
      }
      talk.lose()
      talk.connect()
      const fromSeam = said.filter((number) => number >= talk.journal.seam() / SAMPLES)
      talk.send()
      const last = talk.heard.at(-1) ?? []
      // All words behind the seam come again. The seam may be in the middle of a frame.
      expect(last.filter((number) => number >= Math.ceil(talk.journal.seam() / SAMPLES))).toEqual(fromSeam)
      for (const numbers of talk.heard) expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
      // A word before the seam is final, was given up and counted, or was sent ten times.
      const gone = talk.released.filter(({ reason }) => reason !== 'quiet')
      const kept = gone.length === 0 ? said : []
      const all = new Set(talk.heard.flat())
      expect(kept.filter((number) => !all.has(number))).toEqual([])
    }),
    { numRuns: 300 * Number(process.env.SEED_FACTOR ?? 1), seed: 71 },
  )
})
