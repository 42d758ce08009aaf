import { describe, expect, it } from 'vitest'
import { answered, ask, createLedger, rules, slotOf, stateWith, waiterOf } from './ledger.test.kit.js'

it('an ask that is repeated has one slot, and its time starts again', () => {
  const ledger = createLedger()
  expect(ledger.call(ask('a', 'ada'), 0).granted).toEqual(['a'])
  expect(ledger.call(ask('a', 'ada'), 400).granted).toEqual(['a'])
  expect(ledger.state().slots).toMatchObject([{ id: 'a', grantedAt: 400 }])
  ledger.call({ type: 'release', id: 'a', outcome: 'answered' }, 500)
  expect(ledger.call(ask('a', 'ada'), 600).granted).toEqual([])
})

it('an ask that is repeated in a freeze waits for its end', () => {
  const ledger = createLedger()
  ledger.call(ask('a', 'ada'), 0)
  ledger.call({ type: 'limited', id: '', retryAfterMs: 1_000, jitter: 0 }, 100)
  expect(ledger.call(ask('a', 'ada'), 400).granted).toEqual([])
  expect(ledger.state().slots).toEqual([])
  expect(ledger.call(undefined, 1_100).granted).toEqual(['a'])
})

it('a request that leaves without having heard of its slot gives it back', () => {
  const ledger = createLedger()
  ledger.call(ask('a', 'ada'), 0)
  ledger.call(ask('b', 'bob'), 0)
  ledger.call({ type: 'leave', id: 'a' }, 10)
  expect(ledger.state().slots).toMatchObject([{ id: 'b' }])
})

it('a call after a silence is granted nothing: its reply may never arrive', () => {
  const ledger = createLedger()
  expect(ledger.call(ask('a', 'ada'), 0, { after: 'silence' }).granted).toEqual([])
  expect(ledger.state().slots).toEqual([])
  expect(ledger.call(undefined, 100).granted).toEqual(['a'])
})

it('a call that arrives seconds after it was sent is granted nothing, and its report is too old', () => {
  const ledger = createLedger()
  ledger.call(ask('one:1', 'ada'), 1_000)
  const late = ledger.call(ask('one:2', 'ada'), 3_000, { sentAt: 1_500, own: [] })
  expect(late).toMatchObject({ granted: [], apart: true })
  expect(ledger.state().slots).toMatchObject([{ id: 'one:1' }])
  const next = ledger.call(undefined, 3_010, { sentAt: 3_000, own: [] })
  expect(next).toMatchObject({ granted: ['one:2'], apart: false })
  expect(ledger.state().slots).toMatchObject([{ id: 'one:2' }])
})

const users = Array.from({ length: 30 }, (_, user) => ask(`one:${user}`, `user ${user}`))

it.each([
  [9_100, 0],
  [9_100, 100],
  [9_100, 700],
  [9_100, 2_000],
  [90_000, 0],
])(
  'after an outage of %i ms the first instance is given what the shares of the others leave, although its call came %i ms late',
  (outageMs, lateMs) => {
    const ledger = createLedger()
    ledger.call(undefined, 1_000, { instance: 'other' })
    ledger.call(undefined, 2_900)
    const backAt = 2_900 + outageMs
    const first = { after: 'silence', silentMs: outageMs - lateMs, sentAt: backAt - lateMs } as const
    expect(ledger.call(undefined, backAt, first)).toMatchObject({ apart: true })
    ledger.call(undefined, backAt + 10, { after: 'silence', own: [] })
    const granted = users.flatMap((action) => ledger.call(action, backAt + 20).granted)
    // Of 25, twelve are the other's.
    expect(granted).toHaveLength(13)
    expect(ledger.call(undefined, backAt + 1_400).granted).toEqual([])
    ledger.call(undefined, backAt + 1_410, { instance: 'other', after: 'silence', own: [] })
    expect(ledger.call(undefined, backAt + 1_420).granted).toHaveLength(1)
  },
)

it.each([
  [600, 25],
  [2_100, 13],
])(
  'an instance that is %i ms late, and held nothing, leaves the others %i of 25 slots: at first it uses only what it holds',
  (lateMs, left) => {
    const ledger = createLedger()
    ledger.call(undefined, 1_000, { instance: 'other' })
    ledger.call(undefined, 2_900)
    const granted = users.flatMap((action) => ledger.call(action, 3_000 + lateMs).granted)
    expect(granted).toHaveLength(left)
  },
)

it.each([false, true])('an instance that is late does not lose its own share: strict %j', (strict) => {
  const ledger = createLedger({ ...rules, strict })
  ledger.call(undefined, 0)
  const late = { actions: [ask('one:1', 'ada'), ask('one:2', 'bob')] }
  expect(ledger.call(undefined, 5_000, late)).toMatchObject({ granted: ['one:1', 'one:2'], apart: true })
})

it('the share of an instance that is gone is kept back for a minute at most, however late the others call', () => {
  const ledger = createLedger()
  ledger.call(undefined, 0, { instance: 'other' })
  const grantedAt = (now: number): number =>
    users.flatMap((action) => ledger.call({ ...action, id: `${action.id} ${now}` }, now).granted).length
  for (let now = 0; now <= 30_000; now += 5_000) ledger.call(undefined, now)
  expect(grantedAt(30_010)).toBe(13)
  for (let now = 35_000; now <= 80_000; now += 5_000) ledger.call(undefined, now, { own: [] })
  expect(grantedAt(80_010)).toBe(25)
})

describe('one reply', () => {
  it('says all that its instance must know', () => {
    const ledger = createLedger()
    expect(ledger.call(ask('a', 'ada'), 1_000)).toEqual({
      at: 1_000,
      epoch: 'epoch',
      calls: 1,
      granted: ['a'],
      shared: [],
      waiting: [],
      covered: [],
      refused: [],
      nextMs: 2_000,
      openMs: 150,
      limit: 25,
      frees: [15_000],
      waitingTotal: 0,
      frozenMs: 0,
      strict: false,
      foreignUse: 0,
      instances: 1,
      apart: false,
      notices: [],
    })
    ledger.call({ type: 'release', id: 'a', outcome: 'answered' }, 1_100)
    const limited = ledger.call({ type: 'limited', id: 'a', jitter: 0, retryAfterMs: 3_000 }, 1_200)
    expect(limited).toMatchObject({
      limit: 23,
      frozenMs: 3_000,
      openMs: 3_000,
      foreignUse: 1,
      frees: [4_910],
    })
    expect(limited.notices).toHaveLength(1)
    expect(ledger.call(ask('b', 'ada'), 1_300, { instance: 'two' })).toMatchObject({
      calls: 4,
      waiting: [['b', 2_900]],
      waitingTotal: 1,
      frozenMs: 2_900,
      instances: 2,
      notices: [],
    })
    expect(ledger.call(undefined, 9_000).frozenMs).toBe(0)
  })

  it('gives its own requests their place among all, and asks for a call when the first may get a slot', () => {
    const ledger = createLedger({ ...rules, pollMs: 10_000 })
    ledger.call({ type: 'limited', id: '', jitter: 0, retryAfterMs: 300 }, 0)
    ledger.call(ask('one:1', 'ada'), 0)
    const two = ledger.call(ask('two:1', 'bob'), 0, { instance: 'two' })
    expect(two.waiting).toEqual([['two:1', Math.ceil(300 + 5_000 / 23)]])
    // A place later, because another instance may take the first slot.
    expect(two.nextMs).toBe(300 + 200)
    expect(ledger.call(undefined, 0).nextMs).toBe(300)
    expect(ledger.call(ask('one:2', 'cy'), 0).waiting.map(([id]) => id)).toEqual(['one:1', 'one:2'])
    expect(ledger.call(undefined, 300, { after: 'silence' }).nextMs).toBe(1)
  })

  it('asks for a call at least every poll while a request waits, and every heartbeat else', () => {
    const ledger = createLedger()
    expect(ledger.call(undefined, 0).nextMs).toBe(2_000)
    ledger.call({ type: 'limited', id: '', jitter: 0, retryAfterMs: 5_000 }, 0)
    expect(ledger.call(ask('a', 'ada'), 0).nextMs).toBe(250)
    expect(ledger.state().dueAt).toEqual({ one: 250 })
    expect(ledger.call(undefined, 10, { instance: 'two' }).nextMs).toBe(2_000)
  })

  it('has a place later for a call whose first request is of another instance', () => {
    const ledger = createLedger({ ...rules, pollMs: 10_000 })
    ledger.call({ type: 'limited', id: '', jitter: 0, retryAfterMs: 300 }, 0)
    ledger.call(ask('one:1', 'ada', { call: 'list' }), 0)
    const reply = ledger.call(ask('two:1', 'bob', { call: 'list' }), 0, { instance: 'two' })
    expect(reply).toMatchObject({ waiting: [['two:1', 300]], nextMs: 500, waitingTotal: 1 })
  })

  it('sorts the slots by the time when they are free', () => {
    const ledger = createLedger(rules, stateWith({ slots: [slotOf('one:1', 900), answered('one:2', 950)] }))
    expect(ledger.call(undefined, 1_000)).toMatchObject({ frees: [4_960, 14_900] })
  })
})

describe('an instance that leaves', () => {
  it('takes its requests with it, is not counted, and its slots stay', () => {
    const waiters = [waiterOf('one:1', 'ada'), waiterOf('two:1', 'bob', { instance: 'two' })]
    const ledger = createLedger(
      rules,
      stateWith({
        slots: [slotOf('one:2', 0)],
        waiters: [...waiters],
        shared: [...waiters],
        dueAt: { one: 100, two: 900 },
        frozenUntil: 9_000,
      }),
    )
    expect(ledger.call({ type: 'bye' }, 100)).toMatchObject({ instances: 1, waiting: [] })
    expect(ledger.state()).toMatchObject({
      slots: [{ id: 'one:2' }],
      waiters: [{ id: 'two:1' }],
      shared: [{ id: 'two:1' }],
      dueAt: { two: 900 },
    })
    expect(ledger.state().dueAt).not.toHaveProperty('one')
  })

  it('is forgotten a minute after its call was due, and not while its share is kept', () => {
    const dueAt = { old: 39_999, just: 40_000, kept: 1_000 }
    const ledger = createLedger(rules, stateWith({ dueAt, apart: { kept: 101_000 }, lastAt: 99_000 }))
    ledger.call(undefined, 100_000)
    expect(Object.keys(ledger.state().dueAt).toSorted()).toEqual(['just', 'kept', 'one'])
  })
})

describe('a request', () => {
  it.each([
    ['answered', 1_000 + 5_010],
    ['aborted', 1_000 + 6_010],
  ] as const)('that was %s has its slot until %i', (outcome, freeAt) => {
    const ledger = createLedger()
    ledger.call(ask('a', 'ada'), 0)
    ledger.call(ask('b', 'bob'), 500)
    expect(ledger.state().slots[0]).toMatchObject({ doneAt: -1, freeAt: 15_000 })
    ledger.call({ type: 'release', id: 'a', outcome }, 1_000)
    expect(ledger.state().slots).toMatchObject([
      { id: 'a', doneAt: 1_000, freeAt },
      { id: 'b', doneAt: -1, freeAt: 15_500 },
    ])
    // Once is enough.
    ledger.call({ type: 'release', id: 'a', outcome: 'unsent' }, 2_000)
    ledger.call({ type: 'leave', id: 'a' }, 2_000)
    expect(ledger.state().slots[0]).toMatchObject({ doneAt: 1_000, freeAt })
    ledger.call(undefined, freeAt - 1)
    expect(ledger.state().slots).toHaveLength(2)
    ledger.call(undefined, freeAt)
    expect(ledger.state().slots).toHaveLength(1)
  })

  it('that was not sent gives its slot back', () => {
    const ledger = createLedger()
    ledger.call(ask('a', 'ada'), 0)
    ledger.call(ask('b', 'bob'), 500)
    ledger.call({ type: 'release', id: 'a', outcome: 'unsent' }, 600)
    expect(ledger.state().slots).toMatchObject([{ id: 'b' }])
  })

  it('that was answered at the beginning of the clock is over', () => {
    const ledger = createLedger()
    ledger.call(ask('a', 'ada'), 0)
    ledger.call({ type: 'release', id: 'a', outcome: 'answered' }, 0)
    const { slots } = structuredClone(ledger.state())
    ledger.call({ type: 'release', id: 'a', outcome: 'unsent' }, 100)
    ledger.call({ type: 'leave', id: 'a' }, 100)
    expect(ledger.call(ask('a', 'ada'), 100)).toMatchObject({ granted: [], waitingTotal: 0 })
    expect(ledger.state().slots).toEqual(slots)
  })

  it('that asks again at the end of a freeze still has its slot', () => {
    const ledger = createLedger(rules, stateWith({ slots: [slotOf('a', 0)], frozenUntil: 500 }))
    expect(ledger.call(ask('a', 'ada'), 500).granted).toEqual(['a'])
    expect(ledger.state().slots).toMatchObject([{ grantedAt: 500 }])
  })

  it('that is released and held by nobody changes nothing', () => {
    const ledger = createLedger()
    ledger.call(ask('a', 'ada'), 0)
    ledger.call({ type: 'release', id: 'x', outcome: 'unsent' }, 10)
    expect(ledger.state().slots).toMatchObject([{ id: 'a', doneAt: -1 }])
  })

  it('waits until its time is over, and an hour at most', () => {
    const ledger = createLedger()
    ledger.call({ type: 'limited', id: '', jitter: 0, retryAfterMs: 60_000 }, 0)
    ledger.call(ask('a', 'ada', { withinMs: 61_000 }), 0)
    ledger.call(ask('b', 'bob', { withinMs: 1e9 }), 0)
    expect(ledger.state().waiters).toMatchObject([
      { id: 'a', until: 61_000, instance: 'one', user: 'ada', cost: 1_000, background: false },
      { id: 'b', until: 3_600_000 },
    ])
    ledger.call({ type: 'limited', id: '', jitter: 0, retryAfterMs: 60_000 }, 30_000)
    ledger.call(undefined, 60_999)
    expect(ledger.state().waiters).toHaveLength(2)
    ledger.call(undefined, 61_000, { after: 'silence' })
    expect(ledger.state().waiters).toMatchObject([{ id: 'b' }])
  })

  it('that leaves is neither in the queue nor named any longer', () => {
    const both = [waiterOf('one:1', 'ada'), waiterOf('one:2', 'bob')]
    const ledger = createLedger(
      rules,
      stateWith({ waiters: [...both], shared: [...both], frozenUntil: 9_000 }),
    )
    ledger.call({ type: 'leave', id: 'one:1' }, 0, { instance: 'two' })
    expect(ledger.state()).toMatchObject({ waiters: [{ id: 'one:2' }], shared: [{ id: 'one:2' }] })
  })

  it('that was named is named once, and not after its time', () => {
    const shared = [waiterOf('one:1', 'ada', { until: 100 }), waiterOf('one:2', 'bob', { until: 101 })]
    const ledger = createLedger(rules, stateWith({ shared }))
    expect(ledger.call(undefined, 100).shared).toEqual(['one:2'])
    expect(ledger.call(undefined, 100).shared).toEqual([])
  })

  it('that asks again while it waits, or while its call is made, waits once', () => {
    const waiting = stateWith({
      waiters: [waiterOf('one:1', 'ada')],
      shared: [waiterOf('one:2', 'ada')],
      frozenUntil: 9_000,
    })
    const ledger = createLedger(rules, waiting)
    ledger.call(ask('one:1', 'ada'), 0, { instance: 'two' })
    ledger.call(ask('one:2', 'ada'), 0, { instance: 'two' })
    expect(ledger.state().waiters).toHaveLength(1)
  })

  it('that asks again has all of its time again', () => {
    const ledger = createLedger()
    ledger.call(ask('a', 'ada'), 0)
    ledger.call(ask('b', 'bob'), 0)
    expect(ledger.call(ask('a', 'ada'), 400).granted).toEqual(['a'])
    expect(ledger.state().slots).toMatchObject([
      { id: 'a', grantedAt: 400, freeAt: 15_400 },
      { id: 'b', grantedAt: 0 },
    ])
  })

  it('that was covered has the place in which it was', () => {
    const ledger = createLedger(rules, stateWith({ virtual: 700, frozenUntil: 9_000 }))
    ledger.call(ask('a', 'ada', { covered: { at: 0, start: 300 } }), 0)
    ledger.call(ask('b', 'bob'), 0)
    expect(ledger.state().tags).toEqual({ ada: 300, bob: 700 })
  })

  it('that was covered is no burst: it keeps the pace', () => {
    const slots = [answered('one:9', 1_000)]
    const at = (more: object): readonly string[] =>
      createLedger(rules, stateWith({ slots: [...slots] })).call(ask('a', 'ada', more), 1_001).granted
    expect(at({})).toEqual(['a'])
    expect(at({ covered: { at: 900, start: 0 } })).toEqual([])
    expect(at({ background: true })).toEqual([])
  })
})

describe('requests of one call of the store', () => {
  it('are served as if each had come alone, while nothing else waits', () => {
    const actions = Array.from({ length: 12 }, (_, index) => ask(`one:${index}`, 'ada'))
    const ledger = createLedger()
    expect(ledger.call(undefined, 0, { actions }).granted).toHaveLength(10)
    expect(ledger.state().waiters).toHaveLength(2)
    expect(ledger.call(ask('one:x', 'bob'), 10).granted).toEqual([])
  })

  it('are served in the fair order, if another one waits', () => {
    const tags = { cy: 500 }
    const state = stateWith({
      tags,
      waiters: [waiterOf('one:0', 'cy')],
      dueAt: { one: 0 },
      slots: [slotOf('x', 0)],
    })
    const actions = [ask('one:1', 'ada'), ask('one:2', 'bob')]
    const ledger = createLedger(rules, state)
    expect(ledger.call(undefined, 100, { actions }).granted).toEqual([])
    expect(ledger.call(undefined, 150).granted).toEqual(['one:1'])
  })

  it('are served in the fair order, also if the one that waits could be served now', () => {
    const state = stateWith({
      tags: { cy: 500, ada: 600 },
      waiters: [waiterOf('one:0', 'cy')],
      dueAt: { one: 0 },
    })
    const actions = [ask('one:1', 'ada'), ask('one:2', 'bob')]
    expect(createLedger(rules, state).call(undefined, 100, { actions }).granted).toEqual(['one:2'])
  })

  it('are granted by the instance that has the head alone, so its holder knows', () => {
    const waiters = [waiterOf('two:1', 'ada', { instance: 'two' }), waiterOf('one:1', 'bob')]
    const ledger = createLedger(rules, stateWith({ waiters, dueAt: { one: 0, two: 0 } }))
    expect(ledger.call(undefined, 0).granted).toEqual([])
    expect(ledger.call(undefined, 0, { instance: 'two' }).granted).toEqual(['two:1'])
    expect(ledger.call(undefined, 150).granted).toEqual(['one:1'])
    expect(ledger.state().slots).toEqual([
      { id: 'two:1', user: 'ada', grantedAt: 0, doneAt: -1, freeAt: 15_000 },
      { id: 'one:1', user: 'bob', grantedAt: 150, doneAt: -1, freeAt: 15_150 },
    ])
  })
})

describe('a state that is not what an instance knew', () => {
  const knowing = { epoch: 'old', seen: 3 }
  const lost = [{ type: 'budget.store', reason: 'state-lost' }]

  it('is frozen for a window, if it is new and an instance knows another: it may have sent requests', () => {
    const ledger = createLedger()
    const reply = ledger.call(ask('a', 'ada'), 0, knowing)
    expect(reply).toMatchObject({ granted: [], frozenMs: 6_000, notices: lost, epoch: 'epoch', calls: 1 })
    expect(ledger.state().cold).toBe(false)
    expect(ledger.call(undefined, 10, { ...knowing, instance: 'two' })).toMatchObject({
      notices: [],
      frozenMs: 5_990,
    })
  })

  it('is used at once by instances that know none', () => {
    const ledger = createLedger()
    expect(ledger.call(ask('a', 'ada'), 0)).toMatchObject({ granted: ['a'], notices: [], calls: 1 })
    expect(ledger.state().cold).toBe(true)
    expect(ledger.call(undefined, 10, { epoch: 'epoch', seen: 1 })).toMatchObject({ notices: [], calls: 2 })
    expect(ledger.state().cold).toBe(true)
  })

  it('was restored from a copy if an instance knows of more calls; it is another one then', () => {
    const ledger = createLedger(rules, stateWith({ calls: 4 }))
    expect(ledger.call(undefined, 0, { epoch: 'epoch', seen: 4, newEpoch: 'next' })).toMatchObject({
      epoch: 'epoch',
      notices: [],
    })
    const reply = ledger.call(undefined, 0, { epoch: 'epoch', seen: 6, newEpoch: 'next' })
    expect(reply).toMatchObject({ epoch: 'next', notices: lost, frozenMs: 6_000, calls: 6 })
    expect(ledger.state().cold).toBe(false)
  })

  it('is replaced if it is broken, and frozen for a window', () => {
    const ledger = createLedger(rules, 'broken')
    expect(ledger.call(ask('a', 'ada'), 0)).toMatchObject({ granted: [], notices: lost, frozenMs: 6_000 })
    expect(ledger.state().cold).toBe(false)
  })

  it('is not frozen for less than it was', () => {
    const ledger = createLedger(rules, stateWith({ frozenUntil: 9_000 }))
    expect(ledger.call(undefined, 0, knowing).frozenMs).toBe(9_000)
  })

  it('is strict if one of its instances is', () => {
    const ledger = createLedger({ ...rules, strict: true }, stateWith({ strict: false }))
    expect(ledger.call(undefined, 0).strict).toBe(true)
    expect(createLedger(rules, stateWith({ strict: true })).call(undefined, 0).strict).toBe(true)
  })
})

describe('a step of the clock', () => {
  const stepped = { after: 'clock-step' } as const

  it('freezes for a window, once: each instance reports it', () => {
    const ledger = createLedger()
    expect(ledger.call(undefined, 10_000, stepped)).toMatchObject({ frozenMs: 6_000, notices: [] })
    expect(ledger.call(undefined, 13_999, stepped).frozenMs).toBe(2_001)
    expect(ledger.call(undefined, 14_000, stepped).frozenMs).toBe(6_000)
    expect(ledger.state().steppedAt).toBe(14_000)
    expect(createLedger().call(undefined, 10_000).frozenMs).toBe(0)
  })
})

describe('a call that was late', () => {
  const grantedAt = (now: number, op: object): readonly string[] =>
    createLedger().call(ask('a', 'ada'), now, op).granted

  it.each([
    [1_749, 1],
    [1_750, 0],
  ])('sent at 1,000 and here at %i gives %i slots', (now, count) => {
    expect(grantedAt(now, { sentAt: 1_000 })).toHaveLength(count)
  })

  it('is not known for one if its sender cannot tell the time', () => {
    expect(grantedAt(9_000, { sentAt: 0 })).toHaveLength(1)
  })

  it('is as silent as it was, and longer by its way', () => {
    const ledger = createLedger()
    const late = { after: 'silence', silentMs: 100, sentAt: 1_000, epoch: 'epoch', seen: 0 } as const
    expect(ledger.call(undefined, 1_700, late).apart).toBe(false)
    expect(ledger.call(undefined, 1_750, late).apart).toBe(true)
  })

  it('still tells of a step of the clock', () => {
    const ledger = createLedger()
    expect(ledger.call(ask('a', 'ada'), 12_000, { after: 'clock-step', sentAt: 10_000 }).frozenMs).toBe(6_000)
  })
})

it('S27 thousands of users leave no more in the state than can wait and be in flight', () => {
  const ledger = createLedger()
  let granted = 0
  let most = 0
  for (let user = 0; user < 4_000; user += 1) {
    const now = user * 10
    const reply = ledger.call(ask(`request ${user}`, `user ${user}`), now)
    for (const id of reply.granted) ledger.call({ type: 'release', id, outcome: 'answered' }, now)
    granted += reply.granted.length
    const { tags, waiters, slots } = ledger.state()
    most = Math.max(most, Object.keys(tags).length, waiters.length, slots.length)
  }
  // 40 s at five a second.
  expect(granted).toBeGreaterThan(190)
  expect(most).toBeLessThanOrEqual(50)
}, 60_000)
