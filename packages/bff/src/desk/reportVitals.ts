import {
  boundFigure,
  codesOf,
  LOST_REASONS,
  PAGE_FIGURES,
  PRODUCT_NAMES,
  VITALS_LIMITS,
} from '@stagepass/contract'
import type { VitalsReport } from '@stagepass/contract/schemas'
import type { Caller } from './Caller.js'

const FIGURE_NAMES = codesOf(PAGE_FIGURES)

/** Emits an event for each product of a report. Every value is brought within its bounds: a page may lie. */
export function reportVitals({ context, grant }: Caller, { engine, network, products }: VitalsReport): void {
  const { emit, id: requestId } = context
  if (!emit) return
  for (const product of PRODUCT_NAMES) {
    const given = products[product]
    if (!given) continue
    const figures = FIGURE_NAMES.flatMap((name) => {
      const values = given[name]?.map((ms) => boundFigure(name, ms)) ?? []
      return values.length === 0 ? [] : [[name, values] as const]
    })
    const drops = LOST_REASONS.flatMap((reason) => {
      const count = Math.min(Math.floor(given.drops?.[reason] ?? 0), VITALS_LIMITS.drops)
      return count > 0 ? [[reason, count] as const] : []
    })
    emit({
      type: 'page.vitals',
      requestId,
      user: grant.user,
      product,
      engine,
      network,
      figures: Object.fromEntries(figures),
      drops: Object.fromEntries(drops),
    })
  }
}
