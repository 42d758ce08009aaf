import { waitFor } from '@testing-library/react'
import { useEffect } from 'react'
import { expect, it } from 'vitest'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import { useEndless } from './useEndless.js'
import { useMeetings } from './useMeetings.js'

it('does nothing in a page without IntersectionObserver', async () => {
  await using setup = await setupVoice()
  const { result } = setup.render(() => {
    const list = useMeetings({ pageSize: 10 })
    const endRef = useEndless(list)
    useEffect(() => endRef(document.body), [endRef])
    return list
  })
  await waitFor(() => expect(result.current.meetings).toHaveLength(10))
  expect(typeof IntersectionObserver).toBe('undefined')
  expect(setup.asked).toHaveLength(1)
})
