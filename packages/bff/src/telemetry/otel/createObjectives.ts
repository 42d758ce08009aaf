import type { Meter } from '@opentelemetry/api'
import { codesOf, PAGE_FIGURES, type PageFigureName } from '@stagepass/contract'

/** What users should feel of one figure. */
export interface PageObjective {
  /** A report meets the objective if 95 % of its values are at most this many milliseconds. */
  readonly p95Ms: number
  /** The part of the reports that should meet it, such as 0.99. The rest is the error budget. */
  readonly target: number
}

/** Objectives by figure. */
export type PageObjectives = { readonly [TName in PageFigureName]?: PageObjective | undefined }

type Values = { readonly [TName in PageFigureName]?: readonly number[] }

const PART = 0.95

/** Counts the reports that meet an objective, and those that do not. Throws if an objective is wrong. */
export function createObjectives(meter: Meter, objectives: PageObjectives) {
  const given = Object.entries(objectives).flatMap(([name, objective]) =>
    objective ? [[nameOf(name), check(name, objective)] as const] : [],
  )
  const reports = meter.createCounter('stagepass.page.objective.reports', {
    description: 'Reports of pages, by whether they met the objective of the figure.',
  })
  const target = meter.createObservableGauge('stagepass.page.objective.target', {
    description: 'The part of the reports that should meet the objective of the figure.',
  })

  return {
    start(): void {
      for (const [figure, objective] of given) {
        // A counter that begins at 1 shows no increase in a rate.
        for (const met of [true, false]) reports.add(0, { figure, met })
        target.addCallback((result) => result.observe(objective.target, { figure }))
      }
    },
    record(values: Values): void {
      for (const [figure, { p95Ms }] of given) {
        const measured = values[figure] ?? []
        if (measured.length === 0) continue
        const fast = measured.filter((ms) => ms <= p95Ms).length
        reports.add(1, { figure, met: fast >= PART * measured.length })
      }
    },
  }
}

function nameOf(name: string): PageFigureName {
  const known = codesOf(PAGE_FIGURES).find((one) => one === name)
  if (known !== undefined) return known
  throw new TypeError(
    `Failed to instrument the BFF: "vitals" has no figure "${name}". Use only: ${codesOf(PAGE_FIGURES).join(', ')}.`,
  )
}

function check(name: string, objective: PageObjective): PageObjective {
  const { p95Ms, target } = objective
  const isGood = p95Ms > 0 && target > 0 && target < 1
  if (isGood) return objective
  throw new TypeError(
    `Failed to instrument the BFF: "vitals.${name}" is not an objective. Give milliseconds and a part below 1: { p95Ms: 800, target: 0.99 }.`,
  )
}
