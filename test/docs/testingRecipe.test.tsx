import type { ReactNode } from 'react'
import { useStream } from '@stagepass/react'
import { expect, it, vi } from 'vitest'
import { programsOf, ROOT, writePrograms } from './programs.js'

const PAGE = 'docs/recipes/testing.md'

interface Recipe {
  showsThatTheStreamWasRefused(): Promise<void>
}

/** The component that the page leaves to its reader. */
function Dictation(): ReactNode {
  const { error } = useStream('stt')
  return error?.code === 'concurrency_limit_exceeded' && <p role="alert">Too many streams are open.</p>
}

it('the component test of the recipe passes as it is written', async () => {
  const recipe = programsOf(PAGE).find(({ code }) => code.includes('Dictation'))!
  const folder = `${ROOT}.cache/testing-recipe/`
  writePrograms(folder, [recipe])
  vi.stubGlobal('Dictation', Dictation)
  vi.stubGlobal('expect', expect)
  try {
    const written = (await import(/* @vite-ignore */ folder + recipe.file)) as Recipe
    expect.hasAssertions()
    await written.showsThatTheStreamWasRefused()
  } finally {
    vi.unstubAllGlobals()
  }
})
