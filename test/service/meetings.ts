import { expect } from 'vitest'
import { DEFAULT_FIELDS } from './contract.js'
import { NotProvable, type Prove } from './prove.js'
import type { Service, ServiceMeetings } from './Service.js'

type Item = Readonly<Record<string, unknown>> & { readonly id: string | number }

interface Page {
  readonly items: readonly Item[]
  readonly ids: readonly (string | number)[]
  /** `undefined` on the last page. */
  readonly cursor: string | undefined
}

/** Our names of the parameters. The wire has the service's. */
type Query = Readonly<Partial<Record<keyof ServiceMeetings['wire']['params'], string>>>

const LARGEST = '100'

function meetingsOf({ meetings }: Service): ServiceMeetings {
  if (!meetings) throw new NotProvable('it needs VOICE_MEETINGS_TOKEN')
  return meetings
}

/** Sends a request to the meetings interface with its credential, or without. */
function read(service: Service, path: string, hasCredential = true): Promise<Response> {
  const { url, credential } = meetingsOf(service)
  return service.fetch(
    url + path,
    hasCredential ? { headers: { authorization: `Bearer ${credential}` } } : {},
  )
}

function pathOf(service: Service, query: Query): string {
  const { wire } = meetingsOf(service)
  const pairs = Object.entries(query).map(([role, value]) => [wire.params[role as keyof Query], value])
  return `${wire.listPath}?${new URLSearchParams(pairs)}`
}

const statusOf = async (service: Service, query: Query): Promise<number> =>
  (await read(service, pathOf(service, query))).status

/** The part of a response at a place such as `data.items`. */
const at = (place: string, response: unknown): unknown =>
  place
    .split('.')
    .filter((key) => key !== '')
    .reduce((part: unknown, key) => (part as Record<string, unknown> | undefined)?.[key], response)

async function list(service: Service, query: Query = {}): Promise<Page> {
  const { wire } = meetingsOf(service)
  const response = await read(service, pathOf(service, query))
  if (response.status === 429) throw new NotProvable('others use up the rate limit of the account now')
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/^application\/(?:\w+\+)?json/),
  ])
  const body: unknown = await response.json()
  const items = at(wire.items, body) as readonly Item[]
  expect(items).toBeInstanceOf(Array)
  for (const { id } of items) expect(String(id)).not.toMatch(/^(?:|undefined|null)$/)
  const cursor = at(wire.cursor, body)
  return {
    items,
    ids: items.map(({ id }) => id),
    // How the end is marked is not shown. (Assumptions: "List envelope".)
    cursor:
      typeof cursor === 'number' || (typeof cursor === 'string' && cursor !== '') ? `${cursor}` : undefined,
  }
}

/** The whole list. Throws `NotProvable` if it has fewer meetings than the proof needs, or over 100. */
async function listAll(service: Service, atLeast = 1, query: Query = {}): Promise<Page> {
  const page = await list(service, { limit: LARGEST, ...query })
  if (page.cursor !== undefined) throw new NotProvable('the key holder has over 100 meetings')
  if (page.items.length < atLeast)
    throw new NotProvable(`it needs ${atLeast} meetings, and the key holder has ${page.items.length}`)
  return page
}

/** The first meetings of the list. */
async function listSome(service: Service, atLeast = 1): Promise<Page> {
  const page = await list(service, { limit: LARGEST })
  if (page.items.length >= atLeast) return page
  throw new NotProvable(`it needs ${atLeast} meetings, and the key holder has ${page.items.length}`)
}

function findItem<T>(items: readonly Item[], what: string, find: (item: Item) => T | undefined): T {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  throw new NotProvable(`none of the meetings has ${what}`)
}

/** The times of the meetings. Their form is not shown. (Assumptions: "Meeting fields".) */
function timesOf(items: readonly Item[]): number[] {
  const times = items.map(({ started_at }) => Date.parse(String(started_at)))
  if (times.some(Number.isNaN)) throw new NotProvable('a started_at of this service is no ISO 8601 time')
  return times
}

/** Identifiers of a meeting's tags: texts, or objects with an id. (Assumptions: "Meeting fields".) */
const tagsOf = ({ tags }: Item): string[] =>
  Array.isArray(tags)
    ? tags.map((tag: string | number | { id?: unknown } | null) =>
        String(typeof tag === 'object' ? tag?.id : tag),
      )
    : []

function describePaging(prove: Prove): void {
  prove('a page has 20 meetings if the request names no size', async (service) => {
    await listSome(service, 21)
    expect((await list(service)).items).toHaveLength(20)
  })

  prove('a page has the size of the request, and never over 100', async (service) => {
    await listSome(service, 2)
    expect((await list(service, { limit: '1' })).items).toHaveLength(1)
    const response = await read(service, pathOf(service, { limit: '101' }))
    // A refusal or a shorter page: the contract does not say which.
    if (!response.ok) expect(response.status).toBe(400)
    else
      expect(at(meetingsOf(service).wire.items, await response.json())).toHaveProperty(
        'length',
        expect.toSatisfy((length: number) => length <= 100),
      )
  })

  prove('next_cursor leads through the list, without a gap and without a meeting twice', async (service) => {
    const { ids } = await listSome(service, 4)
    const wanted = ids.slice(0, 6)
    const seen: (string | number)[] = []
    let cursor: string | undefined
    while (seen.length < wanted.length) {
      const page = await list(service, { limit: '2', ...(cursor !== undefined && { cursor }) })
      seen.push(...page.ids)
      cursor = page.cursor
      if (cursor === undefined) break
    }
    expect(seen.slice(0, wanted.length)).toEqual(wanted)
  })

  prove('the last page has no next_cursor', async (service) => {
    const { ids } = await listAll(service, 2)
    const first = await list(service, { limit: String(ids.length - 1) })
    expect(first.cursor).toBeDefined()
    const last = await list(service, { limit: String(ids.length - 1), cursor: first.cursor ?? '' })
    expect(last).toMatchObject({ ids: ids.slice(-1), cursor: undefined })
  })
}

function describeFilters(prove: Prove): void {
  prove('ownership: mine and shared are the two parts of all, the default', async (service) => {
    const all = await listAll(service)
    const { ids: mine } = await listAll(service, 0, { ownership: 'mine' })
    const { ids: shared } = await listAll(service, 0, { ownership: 'shared' })
    expect((await listAll(service, 0, { ownership: 'all' })).ids).toEqual(all.ids)
    expect(new Set([...mine, ...shared])).toEqual(new Set(all.ids))
    expect(mine.length + shared.length).toBe(all.ids.length)
    if (mine.length === 0 || shared.length === 0)
      throw new NotProvable('it needs a meeting of the key holder, and one that is shared with them')
  })

  prove('sort: by date and newest first if the request names nothing', async (service) => {
    const { order } = meetingsOf(service).wire
    const { ids } = await listAll(service, 2)
    expect((await listAll(service, 2, { sort_by: 'date' })).ids).toEqual(ids)
    expect((await listAll(service, 2, { order: order.newest })).ids).toEqual(ids)
    const { ids: oldest } = await listAll(service, 2, { order: order.oldest })
    expect(oldest).not.toEqual(ids)
    expect(new Set(oldest)).toEqual(new Set(ids))
  })

  prove('sort: by duration', async (service) => {
    const { order } = meetingsOf(service).wire
    const durations = async (direction: string): Promise<number[]> => {
      const { items } = await listAll(service, 2, { sort_by: 'duration', order: direction })
      return items.map(({ duration }) => Number(duration))
    }
    const [newest, oldest] = [await durations(order.newest), await durations(order.oldest)]
    if (new Set(newest).size < 2) throw new NotProvable('all meetings have the same duration')
    expect(oldest).toEqual(newest.toReversed())
    // The contract does not say which end is "newest".
    const rising = newest.toSorted((a, b) => a - b)
    expect([rising, rising.toReversed()]).toContainEqual(newest)
  })

  prove('sort: by the time of the last change', async (service) => {
    const { ids } = await listAll(service)
    const { ids: sorted } = await listAll(service, 1, { sort_by: 'last_modified' })
    // The time itself is in no field, so only the meetings can be compared.
    expect(new Set(sorted)).toEqual(new Set(ids))
  })

  prove('search: finds a word of a title, and nothing for a word that is nowhere', async (service) => {
    const { items } = await listSome(service)
    const [id, word] = findItem(items, 'a title with a word of five letters', (item) => {
      const found = /\b[a-z]{5,}\b/i.exec(JSON.stringify(item['title']))?.[0]
      return found === undefined ? undefined : ([item.id, found] as const)
    })
    expect((await list(service, { limit: LARGEST, q: word })).ids).toContain(id)
    expect((await list(service, { q: 'zqxjkvzqxjkv' })).ids).toEqual([])
  })

  prove('search: does not read transcripts', async (service) => {
    if (!service.inside) throw new NotProvable('it needs a word that is only in a transcript')
    expect((await list(service, { q: service.inside.transcriptWord })).ids).toEqual([])
  })

  prove('from and to: both include the time that they name', async (service) => {
    const { items } = await listSome(service, 3)
    const middle = items[Math.floor(items.length / 2)] as Item
    const [time = 0] = timesOf([middle])
    const bound = new Date(time).toISOString()
    const later = await list(service, {
      limit: LARGEST,
      from: bound,
      to: new Date(time + 86_400_000).toISOString(),
    })
    expect(later.ids).toContain(middle.id)
    expect(Math.min(...timesOf(later.items))).toBeGreaterThanOrEqual(time)
    const earlier = await list(service, {
      limit: LARGEST,
      to: bound,
      from: new Date(time - 86_400_000).toISOString(),
    })
    expect(earlier.ids).toContain(middle.id)
    expect(Math.max(...timesOf(earlier.items))).toBeLessThanOrEqual(time)
  })

  prove('tags: meetings with one of the tags, separated by commas', async (service) => {
    const { items } = await listSome(service)
    const tag = findItem(items, 'a tag', (item) => tagsOf(item)[0])
    const tagged = await list(service, { limit: LARGEST, tags: `${tag},no-such-tag` })
    expect(tagged.items.length).toBeGreaterThan(0)
    for (const item of tagged.items) expect(tagsOf(item)).toContain(tag)
    expect((await read(service, meetingsOf(service).wire.tagsPath)).status).toBe(200)
  })
}

function describeFields(prove: Prove): void {
  prove('fields: the default ones, without participants', async (service) => {
    const [item] = (await listSome(service)).items
    expect(Object.keys(item ?? {})).toEqual(expect.arrayContaining(['id', ...DEFAULT_FIELDS]))
    expect(item).not.toHaveProperty('participants')
  })

  prove('fields: only those of the request, and always the id', async (service) => {
    await listSome(service)
    const [titled] = (await list(service, { fields: 'title' })).items
    expect(Object.keys(titled ?? {}).toSorted()).toEqual(['id', 'title'])
    const [withPeople] = (await list(service, { fields: 'title,participants' })).items
    expect(withPeople).toHaveProperty('participants')
  })

  prove('fields: a name that is none gets 400', async (service) => {
    expect(await statusOf(service, { fields: 'no_such_field' })).toBe(400)
  })
}

function describeVisibility(prove: Prove): void {
  prove('a meeting of the list is readable by its id', async (service) => {
    const [id = ''] = (await listSome(service)).ids
    const { wire } = meetingsOf(service)
    const response = await read(service, wire.meetingPath.replace('{id}', encodeURIComponent(id)))
    expect(response.status).toBe(200)
    expect(at(wire.meeting, await response.json())).toMatchObject({ id })
  })

  prove('without its credential nothing is readable', async (service) => {
    const { wire } = meetingsOf(service)
    for (const path of [wire.listPath, wire.tagsPath]) {
      const { status } = await read(service, path, false)
      // The contract shows no status for it.
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
    }
  })

  prove('meetings of public links and of the workspace are not in the list', async (service) => {
    if (!service.inside) throw new NotProvable('it needs the ids of such meetings')
    const { publicLink, workspace } = service.inside.hidden
    const { ids } = await listAll(service)
    expect(ids).not.toContain(publicLink)
    expect(ids).not.toContain(workspace)
  })

  prove(
    'a meeting that is still being processed is not in the list, and gets 409 by its id',
    async (service) => {
      if (!service.inside) throw new NotProvable('it needs the id of such a meeting')
      const { processing } = service.inside.hidden
      expect((await listAll(service)).ids).not.toContain(processing)
      const path = meetingsOf(service).wire.meetingPath.replace('{id}', processing)
      expect((await read(service, path)).status).toBe(409)
    },
  )
}

/** (Contract: "Rate limit".) */
function describeRate(prove: Prove): void {
  prove('25 requests in 5 seconds are answered, and more get 429', async (service) => {
    const { url, credential, wire } = meetingsOf(service)
    if (!service.waitForQuiet)
      throw new NotProvable('it uses up the rate limit of the account. VOICE_EXCEED_LIMITS=yes permits it')
    await service.waitForQuiet()
    const headers = { authorization: `Bearer ${credential}` }
    // Twice the burst, at once: even a limit that grows by 5 a second refuses some of them.
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => fetch(url + wire.listPath, { headers })),
    )
    const statuses = responses.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(25)
  })
}

export function describeMeetings(prove: Prove): void {
  describePaging(prove)
  describeFilters(prove)
  describeFields(prove)
  describeVisibility(prove)
  describeRate(prove)
}
