import { createServer } from 'node:http'
import type { BffRouteName } from '@stagepass/contract'
import { hang } from '@stagepass/emulator'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { describe, expect, it, vi } from 'vitest'
import { isBffError } from '../base/BffError.js'
import { ROUTES } from '../front/routes/matchRoute.js'
import type { Grant, MeetingsGrant } from '../grant/Grant.js'
import { MAX_WAITERS } from '../meetings/boundWaiters.js'
import { type HostOptions, nodeHost } from './startHost.test.kit.js'

/* A page comes in by HTTP, server code by `as`. Each rule of a grant is asked for at every door. */

interface Answered {
  readonly code: string | undefined
  readonly body: Readonly<Record<string, unknown>>
}

interface Call {
  readonly signal?: AbortSignal | undefined
}

/** The operations of a user, at one door. The names are those of the wire. */
interface Door {
  readonly list: (query?: Readonly<Record<string, string>>, call?: Call) => Promise<Answered>
  readonly one: (id: string, fields?: string) => Promise<Answered>
  readonly tags: () => Promise<Answered>
  readonly usage: () => Promise<Answered>
  /** Missing at the door that has only GET routes. */
  readonly token?: (wanted?: Readonly<Record<string, unknown>>) => Promise<Answered>
}

async function setUp(
  granted: Partial<Grant> = {},
  options: HostOptions = {},
  narrowed: Partial<MeetingsGrant> = {},
) {
  let current: Grant | null = null
  const kind = nodeHost('node:http', '', (bff) => createServer(bff))
  const host = await kind.start({ authorize: () => current, ...options })
  const { upstream, bff } = host
  const { meetingsCredential: credential } = upstream
  const grant: Grant = { user: 'ada', meetings: { credential, ...narrowed }, ...granted }
  current = grant
  const user = bff.as(grant)

  const search = (query: Readonly<Record<string, string>>) => `?${new URLSearchParams(query).toString()}`
  const ofHttp = ({ status, text }: { readonly status: number; readonly text: string }): Answered => {
    const body = JSON.parse(text) as { error_code?: string }
    expect(status === 200).toBe(body.error_code === undefined)
    return { code: body.error_code, body }
  }
  const ask = async (path: string) => ofHttp(await host.ask(path))
  const askInside = async (path: string, call: Call = {}) => {
    const response = await user.fetch(`/api/voice${path}`, { ...(call.signal && { signal: call.signal }) })
    return ofHttp({ status: response.status, text: await response.text() })
  }
  const settle = (result: Promise<object>): Promise<Answered> =>
    result.then(
      (body) => ({ code: undefined, body: { ...body } }),
      (error: unknown) => {
        if (!isBffError(error)) throw error
        return { code: error.code, body: { field: error.field } }
      },
    )
  const page: Door = {
    list: (query = {}) => ask(`/meetings${search(query)}`),
    one: (id, fields) => ask(`/meetings/${encodeURIComponent(id)}${fields ? search({ fields }) : ''}`),
    tags: () => ask('/tags'),
    usage: () => ask('/usage'),
    token: async (wanted = {}) =>
      ofHttp(
        await host.ask('/session-token', {
          method: 'POST',
          body: JSON.stringify({ usage_type: 'stt', ...wanted }),
        }),
      ),
  }
  const inside: Door = {
    list: (query = {}, call = {}) => askInside(`/meetings${search(query)}`, call),
    one: (id, fields) => askInside(`/meetings/${encodeURIComponent(id)}${fields ? search({ fields }) : ''}`),
    tags: () => askInside('/tags'),
    usage: () => askInside('/usage'),
  }
  const calls: Door = {
    list: ({ limit, q, fields, ...others } = {}, call = {}) =>
      settle(
        user.meetings(
          {
            ...others,
            ...(limit !== undefined && { pageSize: Number(limit) }),
            ...(q !== undefined && { search: q }),
            ...(fields !== undefined && { fields: fields.split(',') }),
          },
          call,
        ),
      ),
    one: (id, fields) => settle(user.meeting(id, { ...(fields && { fields: fields.split(',') }) })),
    tags: () => settle(user.tags()),
    usage: () => settle(user.usage()),
    token: ({ usage_type = 'stt', expiration_ttl, session_id } = {}) =>
      settle(
        user.sessionToken(usage_type as 'stt', {
          ttlMinutes: expiration_ttl as number,
          sessionId: session_id as string,
        }),
      ),
  }
  const doors: Readonly<Record<string, Door>> = { page, calls, fetch: inside }
  const minting = Object.entries(doors).flatMap(([name, { token }]) => (token ? [{ name, token }] : []))
  return {
    ...host,
    user,
    doors: Object.entries(doors).map(([name, door]) => ({ name, ...door })),
    minting,
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

/** What `as` has for each route. A new route does not compile without a row. */
const CALLS = {
  meetings: 'meetings',
  meeting: 'meeting',
  tags: 'tags',
  'session-token': 'sessionToken',
  usage: 'usage',
  /** They are about the sockets of a page. */
  'handshake-check': undefined,
  'usage-report': undefined,
  vitals: undefined,
  session: undefined,
  'session-renewal': undefined,
  'session-release': undefined,
} as const satisfies Record<BffRouteName, string | undefined>

it('S59 server code has a call for each route that is not about a socket of a page, and few others', async () => {
  await using host = await setUp()
  const named = ROUTES.flatMap(({ name }) => CALLS[name] ?? [])
  expect([...named, 'allMeetings', 'fetch', 'request'].toSorted()).toEqual(Object.keys(host.user).toSorted())
})

it('S59 every route answers at each door as the other does, and its event says the door', async () => {
  await using host = await setUp({ usage: {} })
  const [first] = (await host.user.meetings()).meetings
  const id = first?.id ?? ''
  for (const ask of [
    (door: Door) => door.list({ limit: '2' }),
    (door: Door) => door.list({ ownership: 'mine', fields: 'title', q: 'a' }),
    (door: Door) => door.one(id),
    (door: Door) => door.one(id, 'title'),
    (door: Door) => door.tags(),
    (door: Door) => door.usage(),
    (door: Door) => door.list({ limit: '0' }).then(({ code }) => ({ code, body: {} })),
    (door: Door) => door.one('nothing').then(({ code }) => ({ code, body: {} })),
    (door: Door) => door.one('..%2fusers').then(({ code }) => ({ code, body: {} })),
  ]) {
    const [byPage, ...others] = await Promise.all(host.doors.map(ask))
    for (const answer of others) expect(answer).toEqual(byPage)
  }
  const kinds = host.minting.map(async ({ token }) => Object.keys((await token()).body).toSorted())
  const [byPage, byCall] = await Promise.all(kinds)
  expect(byCall).toEqual(byPage)
  const ended = host.events.filter((event) => event.type === 'request.finished')
  for (const route of ['meetings', 'meeting', 'tags', 'usage', 'session-token']) {
    const methods = (via: 'server' | undefined) =>
      new Set(ended.flatMap((event) => (event.route === route && event.via === via ? [event.method] : [])))
    expect(methods('server')).toEqual(methods(undefined))
    expect(methods('server').size).toBe(1)
  }
})

it('S64 a grant whose limits could be missed is refused at each door, and nothing is sent', async () => {
  class Plan {
    user = 'ada'
    get products(): ['stt'] {
      return ['stt']
    }
  }
  await using host = await nodeHost('node:http', '', (bff) => createServer(bff)).start({
    authorize: () => new Plan(),
  })
  const answer = await host.ask('/session-token', { method: 'POST', body: '{"usage_type":"vt"}' })
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([503, { error_code: 'AUTHORIZE_FAILED' }])
  expect(host.events.find(({ type }) => type === 'authorize.failed')).toMatchObject({
    problem: expect.stringMatching(
      /^The grant inherits from a class or from another object\. Return plain data/,
    ) as string,
  })
  expect(() => host.bff.as(new Plan())).toThrow(
    'Failed to act as a user: The grant inherits from a class or from another object. Return plain data',
  )
  expect(host.upstream.requests).toEqual([])
})

describe('S59 at each door', () => {
  it('a product that the grant does not list is refused', async () => {
    await using host = await setUp({ products: ['tts'] })
    for (const { token } of host.minting) expect(await token()).toMatchObject({ code: 'FORBIDDEN' })
    expect(host.upstream.requests).toEqual([])
  })

  it('a token lives no longer than the grant says, and has its session id', async () => {
    await using host = await setUp({ maxTtlMinutes: 7, sessionId: 'of the grant' })
    for (const { token } of host.minting) {
      expect((await token({ expiration_ttl: 60, session_id: 'of the caller' })).code).toBeUndefined()
      expect(host.upstream.requests.at(-1)?.body).toMatchObject({
        expiration_ttl: 7,
        metadata: { session_id: 'of the grant' },
      })
    }
  })

  it('the range of a product holds', async () => {
    await using host = await setUp()
    for (const { token } of host.minting) {
      expect((await token({ expiration_ttl: 4 })).code).toBe('VALIDATION_ERROR')
      expect((await token({ session_id: 'x'.repeat(256) })).code).toBe('VALIDATION_ERROR')
      expect((await token({ usage_type: 'other' })).code).toBe('VALIDATION_ERROR')
    }
    expect(host.upstream.requests).toEqual([])
  })

  it('another ownership than that of the grant is refused, and is never shown', async () => {
    await using host = await setUp({}, {}, { ownership: 'mine', fields: ['ownership'] })
    const { bff, upstream } = host
    const all = bff.as({ user: 'eve', meetings: { credential: upstream.meetingsCredential } })
    const { meetings } = await all.meetings({ ownership: 'shared' })
    const shared = meetings[0]?.id ?? ''
    expect(shared).not.toBe('')
    for (const { list, one } of host.doors) {
      expect((await list({ ownership: 'shared' })).code).toBe('FORBIDDEN')
      const { meetings: shown } = (await list()).body as { meetings: { ownership: string }[] }
      expect(new Set(shown.map(({ ownership }) => ownership))).toEqual(new Set(['owned']))
      expect((await one(shared)).code).toBe('NOT_FOUND')
    }
  })

  it('only the fields of the grant are shown', async () => {
    await using host = await setUp({}, {}, { fields: ['title'] })
    for (const { list, one } of host.doors) {
      const { meetings: shown } = (await list({ fields: 'title,tags' })).body as {
        meetings: { id: string }[]
      }
      expect(new Set(shown.flatMap((meeting) => Object.keys(meeting)))).toEqual(new Set(['id', 'title']))
      expect(Object.keys((await one(shown[0]?.id ?? '')).body)).toEqual(['id', 'title'])
    }
  })

  it('a grant without meetings sees none', async () => {
    await using host = await setUp({ meetings: undefined })
    for (const { list, one, tags } of host.doors)
      for (const answer of [list(), one('m1'), tags()]) expect((await answer).code).toBe('FORBIDDEN')
    expect(host.upstream.requests).toEqual([])
  })

  it('the requests of a minute are counted together', async () => {
    await using host = await setUp({}, { limits: { tokensPerMinute: 2, meetingsPerMinute: 3 } })
    for (const { list } of host.doors) expect((await list()).code).toBeUndefined()
    for (const { token } of host.minting) expect((await token()).code).toBeUndefined()
    for (const { list, one, tags, usage } of host.doors)
      for (const answer of [list(), one('m1'), tags(), usage()])
        expect((await answer).code).toBe('RATE_LIMITED')
    for (const { token } of host.minting) expect((await token()).code).toBe('RATE_LIMITED')
  })

  it('the minutes of a day are counted together', async () => {
    await using host = await setUp({ usage: { minutesPerDay: 10 }, maxTtlMinutes: 5 })
    for (const { token } of host.minting)
      expect((await token()).body).toMatchObject({ usage_receipt: expect.any(String) })
    for (const { token } of host.minting) expect((await token()).code).toBe('USAGE_EXHAUSTED')
    for (const { usage } of host.doors)
      expect((await usage()).body).toMatchObject({ usage: { stt: { reserved_ms: 600_000 } } })
  })

  it('too many that wait for a page are refused, wherever they came in', async () => {
    // The clock stands still, because a busy machine may need the whole deadline for so many requests.
    const platform = { clock: virtualClock() }
    await using host = await setUp({}, { limits: { meetingsPerMinute: Infinity }, platform })
    const undo = host.upstream.use(hang())
    const leave = new AbortController()
    const waiting = Array.from({ length: MAX_WAITERS.ofPage }, () =>
      host.user.meetings({}, { signal: leave.signal }).catch((reason: unknown) => reason),
    )
    await vi.waitFor(() => expect(host.upstream.counts.list).toBe(1))
    for (const { list } of host.doors) expect((await list()).code).toBe('BUDGET_EXHAUSTED')
    leave.abort('left')
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['left']))
    undo()
    for (const { list } of host.doors) expect((await list()).code).toBeUndefined()
  })

  it('the deadline ends a request', async () => {
    await using host = await setUp({}, { deadlineMs: 1_000 })
    host.upstream.use(hang())
    for (const { list } of host.doors) expect((await list()).code).toBe('UPSTREAM_TIMEOUT')
    for (const { token } of host.minting) expect((await token()).code).toBe('UPSTREAM_TIMEOUT')
  })

  it('nothing begins after close', async () => {
    await using host = await setUp()
    await host.bff.close()
    for (const { list } of host.doors) expect((await list()).code).toBe('SHUTTING_DOWN')
    for (const { token } of host.minting) expect((await token()).code).toBe('SHUTTING_DOWN')
  })
})

it('S59 a list that a page has loaded is the list of server code, and the other way round', async () => {
  await using host = await setUp({}, { meetings: { cacheMs: 60_000 } })
  for (const { list } of host.doors) await list()
  for (const { list } of host.doors.toReversed()) await list({ limit: '3' })
  expect(host.upstream.counts.list).toBe(2)
})
