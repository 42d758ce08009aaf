import type { BffRouteName } from '@stagepass/contract'
import { createEmulator } from '@stagepass/emulator'
import { describe, expect, it } from 'vitest'
import type { Grant } from '../grant/Grant.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { BffEvent } from '../telemetry/events.js'
import { createUndiciTransport } from '../upstream/transport/undici.js'
import { readGrant } from '../grant/readGrant.js'
import { checkHandshake } from './checkHandshake.js'
import { createDesk } from './createDesk.js'
import { getMeeting, listMeetings, listTags } from './listMeetings.js'
import { meetingId } from '../meetings/meetingId.js'
import { mintToken } from './mintToken.js'
import { readUsage } from './usage.js'

/* The rules of a grant, for a caller without HTTP. */

const OPTIONS = { noCache: false }

async function setUp(
  limits: { readonly tokensPerMinute?: number; readonly meetingsPerMinute?: number } = {},
) {
  const upstream = await createEmulator()
  const events: BffEvent[] = []
  const desk = createDesk(
    {
      ...upstream.bffOptions,
      limits,
      logger: false,
      authorize: () => null,
      onEvent: (event) => events.push(event),
    },
    createUndiciTransport,
  )
  const { services, enter } = desk
  const contexts: RequestContext[] = []
  const begin: typeof desk.begin = (client, span) => {
    const context = desk.begin(client, span)
    contexts.push(context)
    return context
  }
  /** A request of server code, which stays until it has its result. */
  const callerOf = async (grant: Omit<Grant, 'user'>, operation: BffRouteName) => {
    const context = begin({ isAnswered: () => false, onClose: () => {} }, undefined)
    return enter(context)(readGrant({ user: 'ada', ...grant }, services.settings), operation)
  }
  return {
    ...desk,
    upstream,
    events,
    begin,
    callerOf,
    meetings: { credential: upstream.meetingsCredential },
    async [Symbol.asyncDispose]() {
      for (const context of contexts) desk.end(context, { method: 'GET', status: 200, error: undefined })
      await desk.methods.close()
      await upstream.close()
    },
  }
}

describe('without HTTP', () => {
  it('a grant limits product, lifetime and session id of a token', async () => {
    await using desk = await setUp()
    const grant = { products: ['stt'], maxTtlMinutes: 5, sessionId: 'of the grant' } as const
    const caller = await desk.callerOf(grant, 'session-token')
    const mint = (usage_type: 'stt' | 'tts') =>
      mintToken(caller, { usage_type, expiration_ttl: 60, session_id: 'of the caller' }, desk.services)

    const { usage_type, expires_in_ms } = await mint('stt')
    expect({ usage_type, isShort: expires_in_ms <= 300_000 }).toEqual({ usage_type: 'stt', isShort: true })
    expect(desk.upstream.requests[0]?.body).toMatchObject({
      expiration_ttl: 5,
      metadata: { session_id: 'of the grant' },
    })
    await expect(mint('tts')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const check = checkHandshake(caller, { usage_type: 'tts', session_key: 'sess_1' }, desk.services)
    await expect(check).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(desk.upstream.requests).toHaveLength(1)
    expect(desk.events).toContainEqual(expect.objectContaining({ type: 'grant.refused', what: 'product' }))
  })

  it('the minutes of the day end', async () => {
    await using desk = await setUp()
    const caller = await desk.callerOf({ usage: { minutesPerDay: 5 } }, 'session-token')
    const mint = () => mintToken(caller, { usage_type: 'stt' }, desk.services)
    expect(await mint()).toMatchObject({ usage_receipt: expect.any(String) })
    await expect(mint()).rejects.toMatchObject({ code: 'USAGE_EXHAUSTED' })
    expect(await readUsage(caller, desk.services)).toMatchObject({ usage: { stt: { reserved_ms: 300_000 } } })
  })

  it('a grant limits the meetings, and their fields', async () => {
    await using desk = await setUp()
    const meetings = { ...desk.meetings, ownership: 'mine', fields: ['title'] } as const
    const caller = await desk.callerOf({ meetings }, 'meetings')
    const list = (query: object) => listMeetings(caller, query, OPTIONS, desk.services)
    const { json } = await list({ fields: ['title', 'tags'] })
    const { meetings: shown } = JSON.parse(json) as { meetings: object[] }
    expect(new Set(shown.flatMap((meeting) => Object.keys(meeting)))).toEqual(new Set(['id', 'title']))
    await expect(list({ ownership: 'shared' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(() => meetingId('..%2Fusers')).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }))

    const stranger = await desk.callerOf({}, 'tags')
    await expect(listTags(stranger, OPTIONS, desk.services)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const one = getMeeting(stranger, meetingId('m1'), {}, OPTIONS, desk.services)
    await expect(one).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('a user has as many requests in a minute as with HTTP', async () => {
    await using desk = await setUp({ tokensPerMinute: 1, meetingsPerMinute: 2 })
    await desk.callerOf({}, 'session-token')
    await expect(desk.callerOf({}, 'handshake-check')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await desk.callerOf({}, 'meetings')
    await desk.callerOf({}, 'usage')
    await expect(desk.callerOf({}, 'tags')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  })

  it('a token that no one receives costs no minutes', async () => {
    await using desk = await setUp()
    const { services } = desk
    const grant = readGrant({ user: 'ada', usage: { minutesPerDay: 60 } }, services.settings)
    const context = desk.begin({ isAnswered: () => true, onClose: () => {} }, undefined)
    const caller = await desk.enter(context)(grant, 'session-token')
    await mintToken(caller, { usage_type: 'stt' }, services)
    expect(await readUsage(caller, services)).toMatchObject({ usage: { stt: { reserved_ms: 0 } } })
  })

  it('no request begins after close', async () => {
    await using desk = await setUp()
    await desk.methods.close()
    await expect(desk.callerOf({}, 'usage')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' })
  })
})
