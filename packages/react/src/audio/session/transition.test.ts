import * as fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clientOf } from '../../client/createVoiceClient.js'
import { createVirtualVoice } from '../../virtual/createVirtualVoice.test.kit.js'
import {
  closedMs,
  OPEN,
  type Silence,
  type SilenceContext,
  type SilenceEffect,
  type SilenceInput,
  silenceTransition,
} from '../silence/silenceTransition.js'
import { OFF, type SessionState } from './state.js'
import { type Rendered, type SessionEffect, type SessionInput, transition } from './transition.js'

/** The arrows in the drawing above `transition`, by the part of the machine. */
function drawnArrows(): Record<string, string[]> {
  const text = readFileSync(join(import.meta.dirname, 'transition.ts'), 'utf8')
  const arrows: Record<string, string[]> = { wish: [], stream: [] }
  let part = ''
  for (const line of text.split('\n')) {
    const [, name, from, inputs, to] = /^ \*   (\w*) +(.+?) ─+ (.+?) ─+► (\w+)/.exec(line) ?? []
    if (from === undefined || inputs === undefined) continue
    part = name || part
    for (const one of from.split(', '))
      for (const input of inputs.split(', ')) arrows[part]?.push(`${one} ─ ${input} ─► ${to}`)
  }
  return arrows
}

const ada = clientOf(createVirtualVoice().client)
const ben = clientOf(createVirtualVoice().client)

const WISHES = ['off', 'on', 'paused', 'stopping'] as const
const WISH_INPUTS: readonly SessionInput[] = ['start', 'stop', 'pause', 'resume', 'settled', 'end']

const rendered = fc.record<Rendered>({
  client: fc.constantFrom(ada, ben),
  status: fc.constantFrom('idle', 'starting', 'active', 'waiting', 'paused', 'stopping', 'queued', 'failed'),
  stream: fc.record({ status: fc.constantFrom('idle', 'connecting', 'queued', 'open', 'closed') }),
  microphone: fc.record({
    status: fc.constantFrom('idle', 'starting', 'capturing', 'recovering', 'failed'),
    suspended: fc.boolean(),
  }),
})

const STREAM_INPUTS: readonly SilenceInput[] = [
  'speech',
  'needed',
  'review',
  'text',
  'final text',
  'sound',
  'quiet',
  'finished',
  'changed',
]

/** Silent more often than not, so that streams close. */
const contexts = fc.record<Omit<SilenceContext, 'now'>>({
  stream: fc.constantFrom('idle', 'connecting', 'queued', 'open', 'reconnecting', 'closed', 'failed'),
  isShared: fc.constantFrom(false, false, false, true),
  isSilent: fc.constantFrom(true, true, true, false),
  closeAfterMs: fc.constantFrom(100, 2_000, 10_000),
})

/** What happens to a stream, after how many milliseconds, and what else is true then. */
type Happening = [SilenceInput, number, Omit<SilenceContext, 'now'>]

const happenings = fc.array(
  fc.tuple<Happening>(fc.constantFrom(...STREAM_INPUTS), fc.constantFrom(0, 20, 1_000, 20_000), contexts),
  { maxLength: 80, size: 'max' },
)

interface Step {
  readonly input: SilenceInput
  readonly passedMs: number
  readonly before: Silence
  readonly after: Silence
  readonly effects: readonly SilenceEffect[]
  readonly context: SilenceContext
}

function stepsOf(all: readonly Happening[]): Step[] {
  let before = OPEN
  let now = 0
  return all.map(([input, passedMs, more]) => {
    const context = { now: (now += passedMs), ...more }
    const [after, ...effects] = silenceTransition(before, input, context)
    const step = { input, passedMs, before, after, effects, context }
    before = after
    return step
  })
}

/** A step, after the fewest others, for which the rule does not hold. */
function brokenBy(holds: (step: Step) => boolean): Step | undefined {
  const rule = fc.property(happenings, (all) => stepsOf(all).every(holds))
  const { counterexample } = fc.check(rule, { numRuns: 400, seed: 71 })
  return counterexample ? stepsOf(counterexample[0]).find((step) => !holds(step)) : undefined
}

interface Wished {
  readonly before: SessionState
  readonly now: Rendered
  readonly after: SessionState
  readonly effects: readonly SessionEffect[]
}

/** All that may happen at this input to a session that ada has started. */
const wished = (input: SessionInput): Wished[] =>
  WISHES.flatMap((wish) =>
    fc.sample(rendered, { numRuns: 100, seed: 71 }).map((now) => {
      const before: SessionState = { ...OFF, wish, client: ada }
      const [after, ...effects] = transition(before, input, now)
      return { before, now, after, effects }
    }),
  )

describe('the drawing has all arrows of the code, and no other', () => {
  it('wish', () => {
    const found = WISH_INPUTS.flatMap((input) =>
      wished(input)
        .filter(({ before, after }) => before.wish !== after.wish)
        .map(({ before, after }) => `${before.wish} ─ ${input} ─► ${after.wish}`),
    )
    expect([...new Set(found)].toSorted()).toEqual(drawnArrows().wish?.toSorted())
  })

  it('stream', () => {
    const found = fc
      .sample(happenings, { numRuns: 400, seed: 71 })
      .flatMap(stepsOf)
      .filter(({ before, after }) => before.phase !== after.phase)
      .map(({ input, before, after }) => `${before.phase} ─ ${input} ─► ${after.phase}`)
    expect([...new Set(found)].toSorted()).toEqual(drawnArrows().stream?.toSorted())
  })
})

describe('the wish', () => {
  it('each start opens the stream, and the microphone unless it is on in a pause or in silence', () => {
    for (const { before, now, after, effects } of wished('start')) {
      const isOn = now.status === 'waiting' || now.status === 'paused'
      const isHeard = isOn && before.wish !== 'stopping' && !now.microphone.suspended
      const microphone = isHeard ? [] : ['start microphone']
      expect([after.wish, ...effects]).toEqual(['on', 'unlock playback', ...microphone, 'open'])
    }
  })

  it('S35 a session belongs to the user who started it, and has no user if it is stopped without a start', () => {
    for (const { now, after } of wished('start')) expect(after.client).toBe(now.client)
    for (const { before, after } of wished('stop'))
      expect(after.client).toBe(before.wish === 'off' ? undefined : ada)
  })

  it('a stop turns off both sides first, ends a sentence that was heard, and only then finishes', () => {
    for (const { before, now, after, effects } of wished('stop')) {
      const isQueued = now.stream.status === 'queued'
      const isHeard = now.microphone.status === 'capturing' && !isQueued
      const last = [isHeard && 'end sentence', isQueued && 'close'].filter(Boolean)
      expect(after.wish).toBe('stopping')
      expect(effects).toEqual(
        before.wish === 'stopping' ? ['close'] : ['stop microphone', 'interrupt playback', ...last, 'finish'],
      )
    }
  })

  it.each(['pause', 'resume', 'settled', 'end'] as const)('%s changes the state alone', (input) => {
    for (const { effects } of wished(input)) expect(effects).toEqual([])
  })
})

describe('the stream of a session', () => {
  it('closes only in the silence of all sessions, while no other component needs it', () => {
    const broken = brokenBy(({ input, before, after, context }) => {
      const isAllowed = context.isSilent && !context.isShared && context.now >= before.keepUntil
      return before.phase !== 'open' || after.phase === 'open' || (input === 'review' && isAllowed)
    })
    expect(broken).toBeUndefined()
  })

  it('is opened at once by speech, whatever it does', () => {
    const broken = brokenBy(({ input, before, after, effects }) => {
      if (input !== 'speech' && input !== 'needed') return true
      const opens = input === 'speech' && before.phase === 'closed' ? 1 : 0
      const isOpened = effects.join() === (before.phase === 'open' ? '' : 'show,open')
      return after.phase === 'open' && isOpened && after.opens === before.opens + opens
    })
    expect(broken).toBeUndefined()
  })

  it('lets sound pass if another component has opened it, and only then', () => {
    const broken = brokenBy(({ input, before, after, effects }) => {
      const isOpened = before.phase !== 'open' && after.phase === 'open'
      const isOther = isOpened && input !== 'speech' && input !== 'needed'
      return effects.includes('let pass') === isOther
    })
    expect(broken).toBeUndefined()
  })

  it('each closing has a finish, until 2.5 s after the last voice, and longer for a text that may grow', () => {
    const broken = brokenBy(({ before, after, effects, context }) => {
      const isBegun = before.phase !== 'closing' && after.phase === 'closing'
      const finishMs = after.isGrowing ? 3_000 : Math.max(500, 2_500 - context.closeAfterMs)
      return effects.includes('finish') === isBegun && (!isBegun || after.finishMs === finishMs)
    })
    expect(broken).toBeUndefined()
  })

  it('waits from its close until there is a connection', () => {
    const broken = brokenBy(({ before, after, context }) => {
      if (after.phase === 'closed') return after.isWaiting
      return after.isWaiting === before.isWaiting || (before.isWaiting && context.stream !== 'connecting')
    })
    expect(broken).toBeUndefined()
  })

  it('counts each millisecond for which it is closed', () => {
    const broken = brokenBy(({ passedMs, before, after, context: { now } }) => {
      const counted = closedMs(after, now) - closedMs(before, now - passedMs)
      return counted === (before.phase === 'closed' ? passedMs : 0)
    })
    expect(broken).toBeUndefined()
  })

  it('shows each change of what a session shows', () => {
    const broken = brokenBy(({ before, after, effects }) => {
      const isSame =
        (before.phase === 'closed') === (after.phase === 'closed') && before.isWaiting === after.isWaiting
      return isSame || effects[0] === 'show'
    })
    expect(broken).toBeUndefined()
  })

  it('does nothing more if a second session sees the same event of the stream', () => {
    const broken = brokenBy(({ input, after, context }) => {
      if (input !== 'changed' && input !== 'quiet' && input !== 'finished') return true
      const [again, ...effects] = silenceTransition(after, input, context)
      return again === after && effects.length === 0
    })
    expect(broken).toBeUndefined()
  })

  it('stays open for a minute after five openings without a text in a minute', () => {
    const quiet = { stream: 'open', isShared: false, isSilent: true, closeAfterMs: 2_000 } as const
    let silence = OPEN
    const effects: SilenceEffect[] = []
    let now = 0
    const step = (input: SilenceInput, stream: SilenceContext['stream'] = 'open'): void => {
      const [next, ...more] = silenceTransition(silence, input, { now, ...quiet, stream })
      silence = next
      effects.push(...more)
    }
    const close = (): void => {
      step('review')
      step('changed', 'closed')
    }
    close()
    for (let time = 0; time < 4; time += 1) {
      now += 5_000
      step('speech')
      close()
    }
    expect([silence.phase, effects.filter((one) => one === 'no words').length]).toEqual(['closed', 4])
    now += 5_000
    step('speech')
    step('review')
    expect([silence.phase, effects.at(-1)]).toEqual(['open', 'report'])
    now += 59_999
    step('review')
    expect(silence.phase).toBe('open')
    now += 1
    close()
    expect(silence.phase).toBe('closed')
    // With a text it was no false alarm.
    for (let time = 0; time < 9; time += 1) {
      now += 5_000
      step('speech')
      step('text')
      close()
    }
    expect([silence.phase, effects.at(-1)]).toEqual(['closed', 'words'])
  })
})
