import { expect, it } from 'vitest'
import type { Story } from '../stories/Story'
import { misfits, overflows } from './measure'
import { stage, violations } from './stage'

interface Exceptions {
  /** Opens what is folded, so that it is measured too. */
  readonly unfold?: (element: HTMLElement) => void
  /** Whether this fault of a control is none in this item. */
  readonly isAllowed?: (misfit: string, element: HTMLElement) => boolean
}

/** Tests that each state of an item keeps the rules of WCAG 2.2 that can be measured. */
export function keepsTheRules(
  stories: readonly Story[],
  { unfold, isAllowed = () => false }: Exceptions = {},
): void {
  it.each(stories)(
    '1.4.3, 1.4.4, 1.4.10 to 1.4.12, 2.5.3, 2.5.8, 4.1.2: nothing is found in: $title',
    async (story) => {
      const { element } = await stage(story)
      const found = await violations(element)
      unfold?.(element)
      const faults = misfits(element).filter((misfit) => !isAllowed(misfit, element))
      expect([...found, ...faults, ...overflows(element)]).toEqual([])
    },
  )
}
