import { openBrowserStack } from '@stagepass/testing/browser'
import { QueryClient } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { createMemoryRouter, Outlet, RouterProvider, ScrollRestoration, useParams } from 'react-router'
import { afterEach, expect, it, vi } from 'vitest'
import { Meetings } from '../../../../test/recipes/MeetingsInAddress.js'
import { createVoiceClient } from '../client/createVoiceClient.js'
import { useMeeting } from './useMeeting.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(cleanup)

/** Runs the recipe of the README unchanged, beside a page of one meeting. */
function Meeting() {
  const { meeting } = useMeeting(useParams().id, { fields: ['title'] })
  return <h1>{meeting?.title}</h1>
}

const Root = () => (
  <>
    {/* Higher than the frame of the test. */}
    <style>{'li { height: 100px }'}</style>
    <Outlet />
    <ScrollRestoration />
  </>
)

const control = (label: string): HTMLInputElement => screen.getByLabelText(label)
const rows = (): (string | null)[] => screen.queryAllByRole('listitem').map(({ textContent }) => textContent)

it('filters, rows and place are there again on the way back from a meeting', async () => {
  await using stack = await openBrowserStack()
  const voice = createVoiceClient({ url: stack.url })
  const router = createMemoryRouter([
    {
      element: <Root />,
      children: [
        { path: '/', element: <Meetings /> },
        { path: '/meetings/:id', element: <Meeting /> },
      ],
    },
  ])
  render(<RouterProvider router={router} />, { wrapper: pageOf(voice, new QueryClient()) })
  await vi.waitFor(() => expect(rows()).toHaveLength(20))
  const newest = rows()
  fireEvent.change(control('Order'), { target: { value: 'longest' } })
  await vi.waitFor(() => expect(rows()).not.toEqual(newest))
  fireEvent.click(screen.getByText('Load more'))
  await vi.waitFor(() => expect(rows()).toHaveLength(40))
  const longest = rows()
  expect(router.state.location.search).toBe('?sort=longest')

  window.scrollTo(0, 200)
  await vi.waitFor(() => expect(window.scrollY).toBeCloseTo(200, -1))
  fireEvent.click(screen.getAllByRole('link')[25] as HTMLElement)
  await screen.findByRole('heading', { name: longest[25] ?? '' })
  await vi.waitFor(() => expect(window.scrollY).toBe(0))
  await router.navigate(-1)
  await vi.waitFor(() => expect(rows()).toEqual(longest))
  expect(control('Order').value).toBe('longest')
  await vi.waitFor(() => expect(window.scrollY).toBeCloseTo(200, -1))

  fireEvent.change(control('Search'), { target: { value: 'road' } })
  expect(router.state.location.search).toBe('?sort=longest&search=road')
  for (const label of ['Search', 'Order']) fireEvent.change(control(label), { target: { value: '' } })
  await vi.waitFor(() => expect(router.state.location.search).toBe(''))
  await vi.waitFor(() => expect(rows()).toEqual(newest))
})
