import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { useFollowEnd } from './useFollowEnd.js'

afterEach(cleanup)

it('does nothing in a page without sizes, as in jsdom', () => {
  function Page() {
    const { ref, isAtEnd } = useFollowEnd()
    return <div ref={ref}>{String(isAtEnd)}</div>
  }
  expect(render(<Page />).container.textContent).toBe('true')
})
