import { cleanup } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { programsOf, ROOT, writePrograms } from './programs.js'

const PAGE = 'docs/test-your-app.md'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const recipes = programsOf(PAGE).filter(({ code }) => code.includes('createTestVoice'))

it.each(recipes)('the component test of the recipe passes unchanged: $file', async (recipe) => {
  const folder = `${ROOT}.cache/testing-recipe/`
  writePrograms(folder, [recipe])
  vi.stubGlobal('expect', expect)
  const written = (await import(/* @vite-ignore */ folder + recipe.file)) as Record<
    string,
    () => Promise<void>
  >
  expect.hasAssertions()
  for (const test of Object.values(written)) await test()
})
