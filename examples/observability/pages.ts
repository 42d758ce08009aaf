import { codesOf, metricOfFigure, PAGE_FIGURES, type PageFigureName } from '@stagepass/contract'

/*
 * The rule and the panels for the figures of pages, from the table of the figures and the windows below.
 * `npm run write -w @stagepass/example-observability` writes them into alerts.yml and grafana-dashboard.json.
 */

/**
 * How fast the error budget of an objective may be used: at this rate over both windows users wait too long.
 * The short window ends the alert soon after the cause.
 */
const BURN_RATES = [
  { rate: 14.4, long: '1h', short: '5m' },
  { rate: 6, long: '6h', short: '30m' },
] as const
/** Fewer reports in the long window say nothing. */
const FEWEST_REPORTS = 20

const REPORTS = 'stagepass_page_objective_reports_total'

const missed = (window: string): string =>
  `sum by (job, figure) (rate(${REPORTS}{met="false"}[${window}])) / sum by (job, figure) (rate(${REPORTS}[${window}]))`
const budget = (rate: number): string =>
  `on (job, figure) ${rate} * (1 - max by (job, figure) (stagepass_page_objective_target))`

const EXPRESSION = BURN_RATES.map(
  ({ rate, long, short }) => `          (
          ${missed(long)} > ${budget(rate)}
          and ${missed(short)} > ${budget(rate)}
          and sum by (job, figure) (increase(${REPORTS}[${long}])) >= ${FEWEST_REPORTS}
          )`,
).join('\n          or\n')

const START = '      # Written by pages.ts.\n'
const RULE = `${START}      - alert: StagepassUsersWait
        expr: >
${EXPRESSION}
        labels:
          severity: page
        annotations:
          summary: 'Users wait too long: {{ $labels.figure }}.'
          runbook_url: docs/observability.md#users-wait-too-long
`

/** The rules, with the one of pages at their end. */
export const withRule = (rules: string): string => (rules.split(START)[0] ?? '').trimEnd() + `\n\n${RULE}`

/** Series of a figure. Some exporters add the unit to its name. */
const buckets = (name: PageFigureName): string =>
  `{__name__=~"${metricOfFigure(name).replaceAll('.', '_')}(_seconds)?_bucket"}[$__rate_interval]`

interface Panel {
  readonly title: string
  readonly description: string
  readonly unit: string
  readonly targets: readonly (readonly [expr: string, legend: string])[]
}

const PANELS: readonly Panel[] = [
  ...codesOf(PAGE_FIGURES).map((name) => ({
    title: `Pages: ${name}`,
    description: `${PAGE_FIGURES[name].text} 50 and 95 of 100 values are lower.`,
    unit: 's',
    targets: [0.5, 0.95].map(
      (part) =>
        [
          `histogram_quantile(${part}, sum by (le, product) (rate(${buckets(name)})))`,
          `{{product}} ${part * 100} %`,
        ] as const,
    ),
  })),
  {
    title: 'Pages: lost connections',
    description: 'By product and reason.',
    unit: 'cps',
    targets: [
      [
        'sum by (product, reason) (rate(stagepass_page_drops_total[$__rate_interval]))',
        '{{product}} {{reason}}',
      ],
    ],
  },
  {
    title: 'Pages: objectives',
    description: 'Reports that met their objective, and those that did not.',
    unit: 'cps',
    targets: [[`sum by (figure, met) (rate(${REPORTS}[$__rate_interval]))`, '{{figure}}, met: {{met}}']],
  },
]

/** Panels of pages have ids from here on. */
const FIRST_ID = 101

interface Dashboard {
  readonly panels: readonly {
    readonly id: number
    readonly gridPos: { readonly h: number; readonly y: number }
  }[]
}

/** The dashboard, with the panels of pages at its end. */
export function withPanels(dashboard: string): string {
  const given = JSON.parse(dashboard) as Dashboard
  const own = given.panels.filter(({ id }) => id < FIRST_ID)
  const top = Math.max(...own.map(({ gridPos }) => gridPos.y + gridPos.h))
  const datasource = { type: 'prometheus', uid: '${datasource}' }
  const panels = PANELS.map(({ title, description, unit, targets }, nth) => ({
    id: FIRST_ID + nth,
    type: 'timeseries',
    title,
    description,
    datasource,
    gridPos: { h: 8, w: 8, x: (nth % 3) * 8, y: top + Math.floor(nth / 3) * 8 },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: targets.map(([expr, legendFormat], target) => ({
      refId: String.fromCodePoint(65 + target),
      expr,
      legendFormat,
    })),
  }))
  return `${JSON.stringify({ ...given, panels: [...own, ...panels] }, undefined, 2)}\n`
}
