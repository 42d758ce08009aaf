import { cleanup } from '@testing-library/react'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { programsOf, ROOT, writePrograms } from './programs.js'

const PAGE = 'docs/test-your-app.md'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const recipes = programsOf(PAGE).filter(({ code }) => code.includes('createTestVoice'))

it.each(recipes)(
  'the component test of the recipe passes unchanged, and prints no warning: $file',
  async (recipe) => {
    const folder = `${ROOT}.cache/testing-recipe/`
    writePrograms(folder, [recipe])
    vi.stubGlobal('expect', expect)
    // As test runners with global functions set it. React then warns of changes outside of `act`.
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
    const printed = vi.spyOn(console, 'error')
    // After the clean-up: the page outlives the voice service of the test.
    onTestFinished(() => expect(printed.mock.calls).toEqual([]))
    const written = (await import(/* @vite-ignore */ folder + recipe.file)) as Record<
      string,
      () => Promise<void>
    >
    expect.hasAssertions()
    for (const test of Object.values(written)) await test()
  },
)
