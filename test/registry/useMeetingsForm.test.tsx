import { meetingsParams } from '@stagepass/contract'
import { tagsOptions, useMeetings, useVoiceClient, VoiceProvider } from '@stagepass/react'
import { createTestVoice } from '@stagepass/react/testing'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { type ReactNode, StrictMode } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { setupVoice } from '../../packages/react/src/testing/setupVoice.test.kit.js'
import {
  type UseMeetingsFormOptions,
  type UseMeetingsFormResult,
  useMeetingsForm,
} from '../../registry/items/useMeetingsForm.js'

afterEach(cleanup)

/** A form with all controls, and what each of its renders has. */
function setUp(options: UseMeetingsFormOptions = {}, firstUser: string | null = 'ada') {
  const voice = createTestVoice()
  const renders: (Pick<UseMeetingsFormResult, 'filters' | 'isFiltered' | 'problem'> & { user: unknown })[] =
    []
  function Form(): ReactNode {
    const { user } = useVoiceClient()
    const { filters, isFiltered, form, controls, problem, problemProps } = useMeetingsForm(options)
    renders.push({ filters, isFiltered, problem, user })
    return (
      <form {...form}>
        <input aria-label="Search" {...controls.search} />
        <select aria-label="Order" {...controls.sort}>
          {['newest', 'oldest', 'longest', 'shortest', 'edited'].map((sort) => (
            <option key={sort}>{sort}</option>
          ))}
        </select>
        <select aria-label="Whose" {...controls.ownership}>
          <option>all</option>
          <option>mine</option>
        </select>
        <input aria-label="From" {...controls.from} />
        <input aria-label="To" {...controls.to} />
        {['sales', 'team'].map((id) => (
          <input key={id} type="checkbox" aria-label={id} value={id} {...controls.tags} />
        ))}
        {problem && <p {...problemProps}>{problem}</p>}
        <button type="reset">Clear</button>
        <button>Search now</button>
      </form>
    )
  }
  const queryClient = new QueryClient()
  const page = (user: string | null): ReactNode => (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <VoiceProvider client={voice.client} user={user}>
          <Form />
        </VoiceProvider>
      </QueryClientProvider>
    </StrictMode>
  )
  const { rerender } = render(page(firstUser))
  return {
    voice,
    renders,
    last: () => renders.at(-1),
    control: (label: string) => screen.getByLabelText<HTMLInputElement>(label),
    set: (label: string, value: string) =>
      fireEvent.change(screen.getByLabelText(label), { target: { value } }),
    showTo: (user: string | null) => rerender(page(user)),
    [Symbol.dispose]: () => voice.close(),
  }
}

it('reads what its controls say', () => {
  using page = setUp()
  expect(page.last()).toMatchObject({ filters: {}, isFiltered: false, problem: null })
  page.set('Order', 'shortest')
  page.set('Search', 'road map')
  page.set('Whose', 'mine')
  page.set('From', '2026-02-01')
  page.set('To', '2026-02-01')
  fireEvent.click(page.control('team'))
  expect(page.last()).toEqual({
    user: 'ada',
    isFiltered: true,
    problem: null,
    filters: {
      search: 'road map',
      ownership: 'mine',
      sortBy: 'duration',
      order: 'oldest',
      // Both days are meant whole, in the time zone of the user.
      from: new Date('2026-02-01T00:00:00.000'),
      to: new Date('2026-02-01T23:59:59.999'),
      tags: ['team'],
    },
  })
})

it.each([
  ['newest', {}],
  ['oldest', { order: 'oldest' }],
  ['longest', { sort_by: 'duration' }],
  ['shortest', { sort_by: 'duration', order: 'oldest' }],
  ['edited', { sort_by: 'last_modified' }],
])('sorts the %s first', (sort, params) => {
  using page = setUp()
  page.set('Order', 'oldest')
  page.set('Order', sort)
  expect(page.last()?.isFiltered).toBe(false)
  expect(meetingsParams(page.last()?.filters ?? {})).toEqual(params)
})

it('changes nothing else with a letter in the search box, so that the list waits for the next one', () => {
  using page = setUp()
  page.set('Search', 'a')
  expect(meetingsParams(page.last()?.filters ?? {})).toEqual({ q: 'a' })
})

it.each([
  ['Search', 'a'],
  ['Whose', 'mine'],
  ['From', '2026-02-01'],
  ['To', '2026-02-01'],
])('is filtered by %s, until the form is cleared', async (label, value) => {
  using page = setUp()
  page.set(label, value)
  expect(page.last()?.isFiltered).toBe(true)
  fireEvent.click(screen.getByText('Clear'))
  await waitFor(() => expect(page.last()).toMatchObject({ filters: {}, isFiltered: false }))
  expect(page.control(label).value).toBe(label === 'Whose' ? 'all' : '')
})

it('is filtered by a tag, and not by spaces', () => {
  using page = setUp()
  fireEvent.click(page.control('sales'))
  expect(page.last()?.isFiltered).toBe(true)
  fireEvent.click(page.control('sales'))
  page.set('Search', '  ')
  expect(page.last()?.isFiltered).toBe(false)
})

it('keeps the days that were, if those of the form are wrong, and says why', () => {
  using page = setUp()
  page.set('From', '2026-02-01')
  page.set('To', '2026-02-10')
  const { from, to } = page.last()?.filters ?? {}
  page.set('From', '2026-02-11')
  expect(page.last()).toMatchObject({ problem: 'backwards', filters: { from, to } })
  expect(page.control('From').getAttribute('aria-describedby')).toBe(screen.getByRole('alert').id)
  expect(page.control('To').getAttribute('aria-invalid')).toBe('true')
  // The other controls count all the same.
  page.set('Search', 'a')
  expect(page.last()?.filters).toMatchObject({ search: 'a', from, to })
  page.set('To', '2999-01-01')
  expect(page.last()).toMatchObject({ problem: 'future', filters: { from, to } })
  page.set('To', '')
  expect(page.last()).toMatchObject({ problem: null, filters: { from: new Date('2026-02-11T00:00') } })
  expect(page.last()?.filters.to).toBeUndefined()
  expect(screen.queryByRole('alert')).toBeNull()
})

it('bounds each day by the other one, and by today', () => {
  using page = setUp()
  const now = new Date()
  const today = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')
  const bounds = () => ['From', 'To'].map((label) => [page.control(label).min, page.control(label).max])
  expect(bounds()).toEqual([
    ['1970-01-01', today],
    ['1970-01-01', today],
  ])
  page.set('From', '2026-02-01')
  page.set('To', '2026-02-10')
  expect(bounds()).toEqual([
    ['1970-01-01', '2026-02-10'],
    ['2026-02-01', today],
  ])
})

it('asks for nothing while a year is typed, and finds no fault with it', () => {
  using page = setUp()
  page.set('From', '2026-02-01')
  const { filters } = page.last() ?? {}
  for (const year of ['0002', '0020', '0202']) {
    page.set('To', `${year}-02-10`)
    expect(page.last()).toMatchObject({ problem: null, filters: { from: filters?.from } })
    expect(page.last()?.filters.to).toBeUndefined()
  }
  page.set('To', '2026-02-10')
  expect(page.last()?.filters.to).toEqual(new Date('2026-02-10T23:59:59.999'))
})

it('sends no form to a server', () => {
  using page = setUp()
  expect(fireEvent.submit(page.control('Search').form ?? document.body)).toBe(false)
})

it('S35 has no value of the user before, in no render and no control', () => {
  using page = setUp()
  page.set('Search', 'salary')
  page.set('From', '2026-02-01')
  fireEvent.click(page.control('sales'))
  page.showTo('ben')
  const later = page.renders.filter(({ user }) => user === 'ben')
  expect(later.length).toBeGreaterThan(0)
  for (const { filters, isFiltered } of later) expect([filters, isFiltered]).toEqual([{}, false])
  expect([page.control('Search').value, page.control('From').value]).toEqual(['', ''])
  expect(page.control('sales').checked).toBe(false)
})

it('S35 is cleared when the BFF finds another user, before the application knows', async () => {
  using page = setUp()
  page.set('Search', 'salary')
  page.voice.user = 'ben'
  const tags = new QueryClient().fetchQuery(tagsOptions(page.voice.client))
  await act(() => expect(tags).rejects.toMatchObject({ code: 'USER_CHANGED' }))
  await waitFor(() => expect(page.control('Search').value).toBe(''))
})

it('is empty for the user who signs in', () => {
  using page = setUp()
  page.showTo(null)
  page.set('Search', 'salary')
  page.showTo('ben')
  expect([page.last()?.filters, page.control('Search').value]).toEqual([{}, ''])
})

/** A form whose controls have defaults, and the list that it asks for. `withTags`: the tags have come. */
function Defaults({
  withTags = true,
  onRender = () => {},
  ...options
}: UseMeetingsFormOptions & {
  withTags?: boolean
  onRender?: (form: Pick<UseMeetingsFormResult, 'filters' | 'isFiltered'>) => void
}): ReactNode {
  const { form, controls, filters, isFiltered } = useMeetingsForm(options)
  useMeetings(filters)
  onRender({ filters, isFiltered })
  const isInitial = options.initial !== undefined
  return (
    <form {...form}>
      <input aria-label="Search" {...controls.search} defaultValue={isInitial ? undefined : 'road'} />
      <select aria-label="Order" {...controls.sort} defaultValue={isInitial ? undefined : 'oldest'}>
        <option>newest</option>
        <option>oldest</option>
      </select>
      <input aria-label="From" {...controls.from} defaultValue={isInitial ? undefined : '2026-02-01'} />
      {withTags && (
        <input
          type="checkbox"
          aria-label="Team"
          value="team"
          defaultChecked={!isInitial}
          {...controls.tags}
        />
      )}
      <button type="reset">Clear</button>
    </form>
  )
}

const DEFAULTS = {
  filters: { search: 'road', order: 'oldest', tags: ['team'], from: new Date('2026-02-01T00:00') },
  isFiltered: true,
}

/** The last render of `Defaults`. */
const watch = () => {
  const renders: Pick<UseMeetingsFormResult, 'filters' | 'isFiltered'>[] = []
  return {
    onRender: (form: (typeof renders)[number]) => void renders.push(form),
    last: () => renders.at(-1),
    renders,
  }
}

const control = (label: string): HTMLInputElement => screen.getByLabelText(label)

it('reads the defaults of its controls at the mount, before the list is requested, and after a reset', async () => {
  await using setup = await setupVoice()
  const page = watch()
  render(<Defaults {...page} />, { wrapper: setup.Wrapper })
  expect(page.last()).toEqual(DEFAULTS)
  await waitFor(() => expect(setup.asked).toHaveLength(1))
  const search = new URLSearchParams(setup.asked[0]?.split('?')[1])
  expect(Object.fromEntries(search)).toMatchObject({ q: 'road', order: 'oldest', tags: 'team' })
  fireEvent.change(control('Search'), { target: { value: '' } })
  fireEvent.click(control('Team'))
  expect(page.last()?.filters).toEqual({ ...DEFAULTS.filters, search: undefined, tags: undefined })
  fireEvent.click(screen.getByText('Clear'))
  await waitFor(() => expect(page.last()).toEqual(DEFAULTS))
})

const ADDRESS = 'tab=list&search=road&sort=oldest&from=2026-02-01&tags=team'

it('begins with the values of an address, in its first render and in its controls', async () => {
  await using setup = await setupVoice()
  const page = watch()
  const onChange = vi.fn<(values: URLSearchParams) => void>()
  render(<Defaults {...page} initial={new URLSearchParams(ADDRESS)} onChange={onChange} />, {
    wrapper: setup.Wrapper,
  })
  expect(page.renders[0]).toEqual(DEFAULTS)
  expect(page.last()).toEqual(DEFAULTS)
  expect([control('Search').value, control('Order').value, control('From').value]).toEqual([
    'road',
    'oldest',
    '2026-02-01',
  ])
  expect(control('Team').checked).toBe(true)
  expect(onChange).not.toHaveBeenCalled()
  fireEvent.click(control('Team'))
  expect(String(onChange.mock.lastCall?.[0])).toBe('search=road&sort=oldest&from=2026-02-01')
  // A reset clears what the address has brought.
  fireEvent.click(screen.getByText('Clear'))
  await waitFor(() => expect(page.last()).toEqual({ filters: {}, isFiltered: false }))
  expect(control('Search').value).toBe('')
  expect(String(onChange.mock.lastCall?.[0])).toBe('')
})

it('clears tags too whose controls have not come, and whatever else changes in the form', async () => {
  await using setup = await setupVoice()
  const page = watch()
  const { rerender } = render(
    <Defaults {...page} withTags={false} initial={new URLSearchParams(ADDRESS)} />,
    {
      wrapper: setup.Wrapper,
    },
  )
  fireEvent.click(screen.getByText('Clear'))
  rerender(<Defaults {...page} initial={new URLSearchParams(ADDRESS)} />)
  await waitFor(() => expect(page.last()).toEqual({ filters: {}, isFiltered: false }))
  expect([control('Search').value, control('Team').checked]).toEqual(['', false])
})

it('keeps the tags of an address until their controls come, and then checks them', async () => {
  await using setup = await setupVoice()
  const page = watch()
  const tree = (withTags: boolean): ReactNode => (
    <Defaults {...page} withTags={withTags} initial={new URLSearchParams(ADDRESS)} />
  )
  const { rerender } = render(tree(false), { wrapper: setup.Wrapper })
  fireEvent.change(control('Search'), { target: { value: 'map' } })
  expect(page.last()?.filters).toMatchObject({ search: 'map', tags: ['team'] })
  rerender(tree(true))
  await waitFor(() => expect(control('Team').checked).toBe(true))
  expect(page.last()?.filters).toMatchObject({ search: 'map', tags: ['team'] })
})

it.each([
  'ownership=none',
  'from=24.12.2026',
  'from=2026-99-99',
  'sort=constructor',
  `search=${'a'.repeat(501)}`,
])('asks for nothing that is not valid if the address says %s', async (address) => {
  await using setup = await setupVoice()
  const page = watch()
  render(<Defaults {...page} initial={new URLSearchParams(address)} />, { wrapper: setup.Wrapper })
  const { q = '', ...others } = meetingsParams(page.renders[0]?.filters ?? {})
  expect(others).toEqual({})
  expect(q.length).toBeLessThanOrEqual(500)
})

it.each([
  ['the default', undefined],
  ['the address', new URLSearchParams(ADDRESS)],
])('keeps what the user has typed before React was there, and not %s', async (_, initial) => {
  await using setup = await setupVoice()
  const page = watch()
  const tree = (
    <setup.Wrapper>
      <Defaults {...page} initial={initial} />
    </setup.Wrapper>
  )
  const container = document.body.appendChild(document.createElement('div'))
  container.innerHTML = renderToString(tree)
  control('Search').value = 'typed early'
  const root = await act(() => hydrateRoot(container, tree))
  expect(page.last()).toMatchObject({ filters: { ...DEFAULTS.filters, search: 'typed early' } })
  expect(control('Search').value).toBe('typed early')
  act(() => root.unmount())
  container.remove()
})

it('S35 gives the values of an address to the first user who signs in, and not to the next', () => {
  using page = setUp({ initial: new URLSearchParams('search=road&tags=team') }, null)
  page.showTo('ada')
  expect(page.last()).toMatchObject({ filters: { search: 'road', tags: ['team'] } })
  expect([page.control('Search').value, page.control('team').checked]).toEqual(['road', true])
  for (const user of [null, 'ben']) {
    page.showTo(user)
    expect(page.last()?.filters).toEqual({})
    expect([page.control('Search').value, page.control('team').checked]).toEqual(['', false])
  }
  const later = page.renders.filter(({ user }) => user === 'ben')
  for (const { filters } of later) expect(filters).toEqual({})
})

describe('days', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllEnvs()
  })

  it.each([
    [
      'with 25 hours, the last one twice',
      'Africa/Cairo',
      '2025-10-30',
      '2025-10-29T21:00:00Z',
      '2025-10-30T22:00:00Z',
    ],
    [
      'with 25 hours, the first one twice',
      'America/Havana',
      '2025-11-02',
      '2025-11-02T04:00:00Z',
      '2025-11-03T05:00:00Z',
    ],
    [
      'with 23 hours, without a midnight',
      'America/Santiago',
      '2026-09-06',
      '2026-09-06T04:00:00Z',
      '2026-09-07T03:00:00Z',
    ],
    [
      'before a day without a midnight',
      'America/Santiago',
      '2026-09-05',
      '2026-09-05T04:00:00Z',
      '2026-09-06T04:00:00Z',
    ],
    ['with 24.5 hours', 'Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00Z', '2026-04-05T13:30:00Z'],
    ['at the end of a year', 'Asia/Kathmandu', '2025-12-31', '2025-12-30T18:15:00Z', '2025-12-31T18:15:00Z'],
  ])('a day %s is a whole day (%s, %s)', (_, zone, day, start, next) => {
    vi.stubEnv('TZ', zone)
    vi.useFakeTimers({ now: new Date('2026-11-20T12:00:00Z'), toFake: ['Date'] })
    using page = setUp()
    page.set('From', day)
    page.set('To', day)
    expect(page.last()?.filters).toMatchObject({
      from: new Date(start),
      to: new Date(new Date(next).getTime() - 1),
    })
  })

  /** A form that stays open over the midnight after 20 November 2026. */
  function atMidnight() {
    vi.useFakeTimers({ now: new Date(2026, 10, 20, 23, 58) })
    return { ...setUp(), pass: (ms: number) => act(() => void vi.advanceTimersByTime(ms)) }
  }

  it('are of the new day after midnight, without a render in between', () => {
    using page = atMidnight()
    vi.setSystemTime(new Date(2026, 10, 21, 0, 3))
    page.set('From', '2026-11-21')
    expect(page.last()).toMatchObject({ problem: null, filters: { from: new Date(2026, 10, 21) } })
  })

  it('can be chosen until the new day as soon as it begins, and count then', () => {
    using page = atMidnight()
    expect(page.control('To').max).toBe('2026-11-20')
    page.set('From', '2026-11-21')
    expect(page.last()).toMatchObject({ problem: 'future' })
    expect(page.last()?.filters.from).toBeUndefined()
    page.pass(3 * 60_000)
    expect(page.control('To').max).toBe('2026-11-21')
    expect(page.last()).toMatchObject({ problem: null, filters: { from: new Date(2026, 10, 21) } })
  })
})

describe('text that an input method composes', () => {
  afterEach(() => void vi.useRealTimers())

  /** What a browser reports for the text that is being composed. */
  const compose = (control: HTMLInputElement, value: string): void => {
    fireEvent.input(control, { target: { value }, isComposing: true })
  }

  it('counts when it is complete, and not before', () => {
    vi.useFakeTimers()
    const onChange = vi.fn<(values: URLSearchParams) => void>()
    using page = setUp({ onChange })
    const search = page.control('Search')
    for (const text of ['と', 'とう', 'とうきょう']) {
      compose(search, text)
      act(() => void vi.advanceTimersByTime(900))
      expect(page.last()?.filters.search).toBeUndefined()
    }
    compose(search, '東京')
    fireEvent.compositionEnd(search)
    expect(page.last()?.filters.search).toBe('東京')
    expect(onChange.mock.calls.map(String)).toEqual([`search=${encodeURIComponent('東京')}`])
  })

  it('counts after a second without a key, if the page misses the end', () => {
    vi.useFakeTimers()
    using page = setUp()
    compose(page.control('Search'), 'hello')
    act(() => void vi.advanceTimersByTime(1_000))
    expect(page.last()?.filters.search).toBe('hello')
  })

  it('stays in its control when other controls come meanwhile', async () => {
    await using setup = await setupVoice()
    const { rerender } = render(<Defaults withTags={false} initial={new URLSearchParams()} />, {
      wrapper: setup.Wrapper,
    })
    compose(control('Search'), 'とう')
    rerender(<Defaults initial={new URLSearchParams()} />)
    await new Promise((resolve) => queueMicrotask(() => resolve(null)))
    expect(control('Search').value).toBe('とう')
  })
})

/** Filters whose tags come later, in a select that is there from the start. */
function Select({
  tags,
  onRender,
  ...options
}: UseMeetingsFormOptions & {
  tags: readonly string[]
  onRender: (form: Pick<UseMeetingsFormResult, 'filters' | 'isFiltered'>) => void
}): ReactNode {
  const { form, controls, filters, isFiltered } = useMeetingsForm(options)
  onRender({ filters, isFiltered })
  return (
    <form {...form}>
      <input aria-label="Search" {...controls.search} />
      <select aria-label="Tag" {...controls.tags}>
        <option value="">Any</option>
        {tags.map((id) => (
          <option key={id}>{id}</option>
        ))}
      </select>
      <select aria-label="Order" {...controls.sort}>
        <option>newest</option>
        <option>oldest</option>
      </select>
    </form>
  )
}

describe('a select whose options come later', () => {
  it('keeps the tag of the address, and shows it with its option', async () => {
    await using setup = await setupVoice()
    const page = watch()
    const onChange = vi.fn<(values: URLSearchParams) => void>()
    const tree = (...tags: string[]): ReactNode => (
      <Select {...page} tags={tags} onChange={onChange} initial={new URLSearchParams('tags=team')} />
    )
    const { rerender } = render(tree(), { wrapper: setup.Wrapper })
    fireEvent.change(control('Search'), { target: { value: 'map' } })
    expect(page.last()).toEqual({ filters: { search: 'map', tags: ['team'] }, isFiltered: true })
    expect(String(onChange.mock.lastCall?.[0])).toBe('search=map&tags=team')
    rerender(tree('sales', 'team'))
    await waitFor(() => expect(control('Tag').value).toBe('team'))
    expect(page.last()?.filters).toEqual({ search: 'map', tags: ['team'] })
    fireEvent.change(control('Tag'), { target: { value: '' } })
    expect(page.last()?.filters).toEqual({ search: 'map' })
  })

  it('forgets a tag of the address that is none of its options', async () => {
    await using setup = await setupVoice()
    const page = watch()
    const tree = (...tags: string[]): ReactNode => (
      <Select {...page} tags={tags} initial={new URLSearchParams('tags=gone')} />
    )
    const { rerender } = render(tree(), { wrapper: setup.Wrapper })
    rerender(tree('sales', 'team'))
    await waitFor(() => expect(page.last()).toEqual({ filters: {}, isFiltered: false }))
    expect(control('Tag').value).toBe('')
  })
})

it('names for the address what differs from the defaults', async () => {
  await using setup = await setupVoice()
  const onChange = vi.fn<(values: URLSearchParams) => void>()
  render(<Defaults onChange={onChange} />, { wrapper: setup.Wrapper })
  const reported = (): string => String(onChange.mock.lastCall?.[0])
  // The default of this form is `oldest`.
  fireEvent.change(control('Order'), { target: { value: 'newest' } })
  expect(reported()).toBe('sort=newest')
  fireEvent.change(control('Search'), { target: { value: '' } })
  expect(reported()).toBe('search=&sort=newest')
  fireEvent.click(screen.getByText('Clear'))
  await waitFor(() => expect(reported()).toBe(''))
})
