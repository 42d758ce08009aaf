import type { Histogram, Meter } from '@opentelemetry/api'
import {
  codesOf,
  LOST_REASONS,
  metricOfFigure,
  PAGE_FIGURES,
  type PageFigureName,
  PRODUCT_NAMES,
} from '@stagepass/contract'
import type { BffEvent } from '../events.js'
import { createAccountLabel } from './labels.js'
import { createObjectives, type PageObjectives } from './createObjectives.js'

type PageVitals = Extract<BffEvent, { type: 'page.vitals' }>

export interface PageMetricsOptions {
  /** Accounts whose names are a label. */
  readonly accounts: readonly string[]
  readonly objectives: PageObjectives
}

const FIGURE_NAMES = codesOf(PAGE_FIGURES)

/**
 * Records what pages measured. Labels have only few values: of an account its name, and only if the host has
 * listed it.
 */
export function createPageMetrics(meter: Meter, { accounts, objectives }: PageMetricsOptions) {
  const counted = createObjectives(meter, objectives)
  const accountLabel = createAccountLabel(accounts)
  const histograms = Object.fromEntries(
    FIGURE_NAMES.map((name) => {
      const { text, boundsMs } = PAGE_FIGURES[name]
      const explicitBucketBoundaries = boundsMs.map((ms) => ms / 1_000)
      const options = { description: text, unit: 's', advice: { explicitBucketBoundaries } }
      return [name, meter.createHistogram(metricOfFigure(name), options)]
    }),
  ) as Record<PageFigureName, Histogram>
  const drops = meter.createCounter('stagepass.page.drops', {
    description: 'Open connections that pages lost, by reason.',
  })

  return {
    /** Each counter begins at 0, because one that begins at 1 shows no increase in a rate. */
    start(): void {
      counted.start()
      for (const product of PRODUCT_NAMES)
        for (const reason of LOST_REASONS) drops.add(0, { product, reason })
    },
    record({ product, engine, network, account, figures, drops: dropped }: PageVitals): void {
      counted.record(figures)
      const labels = { product, engine, network, ...accountLabel({ account }) }
      for (const name of FIGURE_NAMES)
        for (const ms of figures[name] ?? []) histograms[name].record(ms / 1_000, labels)
      for (const reason of LOST_REASONS) {
        const count = dropped[reason]
        if (count !== undefined) drops.add(count, { product, reason })
      }
    },
  }
}
