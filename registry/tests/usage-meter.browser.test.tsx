import { expect, it } from 'vitest'
import * as stories from '../stories/usage-meter.stories'
import { readAloud, stage, violations } from './stage'

it.each(Object.values(stories))('1.4.3, 4.1.2: axe finds nothing in $title', async (story) => {
  const { element } = await stage(story)
  expect(await violations(element)).toEqual([])
})

it('1.3.1: a screen reader says how much is used', async () => {
  const { element } = await stage(stories.Enough)
  await expect.poll(() => element.textContent).toContain('30:00')
  expect(await readAloud(element)).toEqual([
    'main',
    'region, Minutes today',
    'heading, Minutes today, level 3',
    'meter, Minutes today, min value 0, max value 100, current value 0:00 of 30:00 used',
    'paragraph',
    '0:00 of 30:00 used',
    'end of paragraph',
    'status',
    'end of region, Minutes today',
    'end of main',
  ])
})
