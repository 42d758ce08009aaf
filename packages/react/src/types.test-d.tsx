import type { Meeting as WireMeeting, Participant as WireParticipant } from '@stagepass/contract'
import {
  QueryClient,
  useInfiniteQuery,
  useQuery,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
} from '@tanstack/react-query'
import { describe, expectTypeOf, it } from 'vitest'
import { createVoiceClient } from './client/createVoiceClient.js'
import type { MeetingFieldName } from './meetings/MeetingWith.js'
import { useMeeting } from './meetings/useMeeting.js'
import { useMeetings } from './meetings/useMeetings.js'
import type { Participant, Tag } from './meetings/MeetingWith.js'
import type { SessionToken } from './token/SessionToken.js'
import { sessionTokenOptions } from './token/sessionTokenOptions.js'
import { useSessionToken } from './token/useSessionToken.js'
import { isVoiceError, VoiceError } from './errors/VoiceError.js'
import { meetingOptions } from './meetings/meetingOptions.js'
import { meetingsOptions } from './meetings/meetingsOptions.js'
import { tagsOptions } from './meetings/tagsOptions.js'

/** A row of our types, with no other keys. */
type Meeting = Omit<WireMeeting, 'participants'> & { participants: Participant[] | null }

const voice = createVoiceClient({ url: '/api/voice' })
const queryClient = new QueryClient()

it('each field of a meeting is null if it is not known', () => {
  expectTypeOf<WireMeeting>().toEqualTypeOf<{
    id: string
    title: string | null
    started_at: string | null
    duration: number | null
    status: string | null
    source: string | null
    tags: string[] | null
    ownership: string | null
    participants: WireParticipant[] | null
  }>()
})

describe('a meeting has only the requested fields', () => {
  it('by default the fields of the contract', () => {
    type Row = ReturnType<typeof useMeetings>['meetings'][number]
    expectTypeOf<keyof Row>().toEqualTypeOf<Exclude<keyof Meeting, 'participants'>>()
    const { meetings } = useMeetings({ ownership: 'mine' })
    // @ts-expect-error -- participants must be requested
    void meetings[0]?.participants
  })

  it('with fields in the call', () => {
    const { meetings } = useMeetings({ fields: ['title', 'participants'] })
    expectTypeOf(meetings).toEqualTypeOf<readonly Pick<Meeting, 'id' | 'title' | 'participants'>[]>()
    expectTypeOf(meetings[0]?.participants).toEqualTypeOf<Participant[] | null | undefined>()
    // @ts-expect-error -- not requested
    void meetings[0]?.duration
    const { meeting } = useMeeting('1', { fields: ['duration'] })
    expectTypeOf(meeting).toEqualTypeOf<Pick<Meeting, 'id' | 'duration'> | undefined>()
    // @ts-expect-error -- no such field
    useMeetings({ fields: ['colour'] })
  })

  it('each may be missing if the names are known only at run time', () => {
    const names: MeetingFieldName[] = ['title']
    const { meetings } = useMeetings({ fields: names })
    expectTypeOf(meetings[0]?.participants).toEqualTypeOf<Participant[] | null | undefined>()
    expectTypeOf<(typeof meetings)[number]['id']>().toEqualTypeOf<string>()
    expectTypeOf<(typeof meetings)[number]['title']>().toEqualTypeOf<string | null | undefined>()
  })
})

describe('filters', () => {
  it('are typed', () => {
    expectTypeOf<Parameters<typeof useMeetings>[0]>().not.toBeAny()
    useMeetings({
      from: new Date(),
      to: '2026-01-01',
      tags: ['a'],
      sortBy: 'duration',
      order: 'oldest',
      pageSize: 5,
    })
    // @ts-expect-error -- the wire's word, not ours
    useMeetings({ sort_by: 'duration' })
    // @ts-expect-error -- not an ownership
    useMeetings({ ownership: 'owned' })
  })
})

describe('options', () => {
  it('type the results of TanStack Query', () => {
    const options = meetingsOptions(voice, { fields: ['title'] })
    type Row = Pick<Meeting, 'id' | 'title'>
    const { data, error } = useInfiniteQuery(options)
    expectTypeOf(data?.pages[0]?.meetings).toEqualTypeOf<readonly Row[] | undefined>()
    expectTypeOf(error).toEqualTypeOf<VoiceError | null>()
    expectTypeOf(useSuspenseInfiniteQuery(options).data.pages[0]?.meetings).toEqualTypeOf<
      readonly Row[] | undefined
    >()
    expectTypeOf(queryClient.getQueryData(options.queryKey)?.pages[0]?.meetings).toEqualTypeOf<
      readonly Row[] | undefined
    >()
    void queryClient.prefetchInfiniteQuery(options)

    const one = meetingOptions(voice, '1', { fields: ['title'] })
    expectTypeOf(useQuery(one).data).toEqualTypeOf<Row | undefined>()
    expectTypeOf(useSuspenseQuery(one).data).toEqualTypeOf<Row>()
    expectTypeOf(queryClient.getQueryData(one.queryKey)).toEqualTypeOf<Row | undefined>()
    void queryClient.prefetchQuery(one)
    void queryClient.ensureQueryData(one)
    queryClient.setQueryData(one.queryKey, { id: '1', title: null })

    expectTypeOf(useSuspenseQuery(sessionTokenOptions(voice, 'stt')).data.token).toEqualTypeOf<
      SessionToken | undefined
    >()
    expectTypeOf(useQuery(tagsOptions(voice)).data).toEqualTypeOf<readonly Tag[] | undefined>()
    // With more options.
    useQuery({ ...tagsOptions(voice), enabled: false, select: (tags) => tags.length })
  })
})

describe('a session token', () => {
  it('is set only with the status success', () => {
    const result = useSessionToken('stt')
    if (result.status === 'success') {
      expectTypeOf(result.token).toEqualTypeOf<SessionToken>()
      expectTypeOf(result.expiresAt).toEqualTypeOf<Date>()
    } else {
      expectTypeOf(result.token).toEqualTypeOf<undefined>()
    }
    if (result.status === 'error') expectTypeOf(result.error).toEqualTypeOf<VoiceError>()
    // @ts-expect-error -- not a product
    useSessionToken('video')
  })
})

describe('errors', () => {
  it('narrow by code, and have no other codes', () => {
    const error: unknown = new VoiceError('FORBIDDEN')
    const isLimited = (thrown: unknown): 'RATE_LIMITED' | undefined =>
      isVoiceError(thrown, 'RATE_LIMITED') ? thrown.code : undefined
    expectTypeOf(isLimited).returns.toEqualTypeOf<'RATE_LIMITED' | undefined>()
    // @ts-expect-error -- the union of codes is closed
    void new VoiceError('NO_SUCH_CODE')
    // @ts-expect-error -- the union of codes is closed
    isVoiceError(error, 'NO_SUCH_CODE')
  })
})
