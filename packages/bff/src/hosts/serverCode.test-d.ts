import { expectTypeOf } from 'vitest'
import { type Bff, type BffError, type BffUser, isBffError } from '../index.js'
import type { Bff as FetchBff } from './fetch/index.js'

declare const bff: Bff
declare const fetchBff: FetchBff

const user = bff.as({ user: 'ada', meetings: { credential: 'c' } })
expectTypeOf(user).toEqualTypeOf<BffUser>()
expectTypeOf(fetchBff.as({ user: 'ada' })).toEqualTypeOf<BffUser>()
expectTypeOf<keyof BffUser>().toEqualTypeOf<
  'meetings' | 'allMeetings' | 'meeting' | 'tags' | 'sessionToken' | 'request' | 'usage' | 'fetch'
>()
expectTypeOf(user.fetch).toEqualTypeOf<typeof fetch>()

// Without `fields`: all except `participants`.
const [row] = (await user.meetings()).meetings
expectTypeOf(row).toExtend<{ id: string; title: string | null; duration: number | null } | undefined>()
// @ts-expect-error it was not asked for
void row?.participants

// `fields` narrows the rows.
const narrow = await user.meetings({ fields: ['title', 'participants'], from: new Date(), cursor: null })
expectTypeOf(narrow.next_cursor).toEqualTypeOf<string | null>()
expectTypeOf<keyof (typeof narrow.meetings)[number]>().toEqualTypeOf<'id' | 'title' | 'participants'>()
for await (const each of user.allMeetings({ fields: ['title'], search: 'x' }))
  expectTypeOf<keyof typeof each>().toEqualTypeOf<'id' | 'title'>()
const one = await user.meeting('m1', { fields: ['tags'] })
expectTypeOf(one.tags).toEqualTypeOf<string[] | null>()
expectTypeOf<keyof typeof one>().toEqualTypeOf<'id' | 'tags'>()

// A field of `extraFields` comes as the service sends it.
expectTypeOf((await user.meeting('m1', { fields: ['transcript'] })).transcript).toEqualTypeOf<unknown>()

// Names that are known only at run time may be missing.
declare const names: ('title' | 'tags')[]
expectTypeOf((await user.meeting('m1', { fields: names })).title).toEqualTypeOf<string | null | undefined>()

// @ts-expect-error a misspelt filter would be no filter
void user.meetings({ ownerhip: 'mine' })
// @ts-expect-error the name on the wire
void user.meetings({ sort_by: 'date' })
// @ts-expect-error a word that does not exist
void user.meetings({ ownership: 'none' })

const token = await user.sessionToken('stt', {
  ttlMinutes: 5,
  sessionId: 's',
  signal: AbortSignal.timeout(1),
})
expectTypeOf(token.expires_in_ms).toEqualTypeOf<number>()
// @ts-expect-error a product that does not exist
void user.sessionToken('sst')
expectTypeOf((await user.usage(['stt'])).usage.stt?.used_ms).toEqualTypeOf<number | undefined>()
expectTypeOf((await user.tags()).tags[0]?.name).toEqualTypeOf<string | undefined>()
// @ts-expect-error a grant names its user
bff.as({ meetings: { credential: 'c' } })
// @ts-expect-error the user must be known
bff.as(null)

declare const thrown: unknown
if (isBffError(thrown)) {
  expectTypeOf(thrown).toExtend<BffError>()
  expectTypeOf(thrown.retryAfterMs).toEqualTypeOf<number | undefined>()
  expectTypeOf(thrown.hint).toEqualTypeOf<string>()
}
if (isBffError(thrown, 'RATE_LIMITED')) expectTypeOf(thrown.code).toEqualTypeOf<'RATE_LIMITED'>()
