import { fail } from '@stagepass/emulator'
import { waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import { useTags } from './useTags.js'

it('returns the tags, in one request for all components', async () => {
  await using setup = await setupVoice()
  const { result } = setup.render(() => [useTags(), useTags()] as const)
  expect(result.current[0].tags).toEqual([])
  await waitFor(() => expect(result.current[0].status).toBe('success'))
  expect(result.current[0].tags.length).toBeGreaterThan(0)
  expect(result.current[1].tags).toBe(result.current[0].tags)
  expect(setup.asked).toEqual(['/tags'])
})

it('returns a failure and does not throw it', async () => {
  await using setup = await setupVoice()
  setup.stack.upstream.use(fail('SCOPE_MISSING'))
  const { result } = setup.render(() => useTags())
  await waitFor(() => expect(result.current.status).toBe('error'))
  expect(result.current).toMatchObject({ tags: [], error: { code: 'MEETINGS_CREDENTIAL_REJECTED' } })
})
