import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { type ReactNode, StrictMode } from 'react'
import { afterEach, expect, it } from 'vitest'
import { createTestVoice } from '../testing/createTestVoice.js'
import { VoiceProvider } from '../VoiceProvider.js'
import { useVoiceClient } from '../useVoiceClient.js'
import { meetingsParams } from './meetingsParams.js'
import { type UseMeetingsFormResult, useMeetingsForm } from './useMeetingsForm.js'

afterEach(cleanup)

/** A form with all controls, and what each of its renders has. */
function setUp() {
  const voice = createTestVoice()
  const renders: (Pick<UseMeetingsFormResult, 'filters' | 'isFiltered' | 'problem'> & { user: unknown })[] =
    []
  function Form(): ReactNode {
    const { user } = useVoiceClient()
    const { filters, isFiltered, form, controls, problem, problemProps } = useMeetingsForm()
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
  const { rerender } = render(page('ada'))
  return {
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
])('is filtered by %s, until the form is cleared', (label, value) => {
  using page = setUp()
  page.set(label, value)
  expect(page.last()?.isFiltered).toBe(true)
  fireEvent.click(screen.getByText('Clear'))
  expect(page.last()).toMatchObject({ filters: {}, isFiltered: false })
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

it('is empty for the user who signs in', () => {
  using page = setUp()
  page.showTo(null)
  page.set('Search', 'salary')
  page.showTo('ben')
  expect([page.last()?.filters, page.control('Search').value]).toEqual([{}, ''])
})
