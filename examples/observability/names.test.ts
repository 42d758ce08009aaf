import { readFileSync } from 'node:fs'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import type { BffOptions } from '@stagepass/bff'
import { instrument } from '@stagepass/bff/otel'
import { codesOf, PAGE_FIGURES } from '@stagepass/contract'
import { startStack } from '@stagepass/testing'
import type { Request } from 'express'
import { beforeAll, describe, expect, it } from 'vitest'
import { withPanels, withRule } from './pages.js'

/*
 * Each name of a metric and of a label in the rules, the dashboard and the pages is one that the exporter
 * gave in a run.
 */

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

/** As OpenTelemetry writes them, such as `stagepass.tokens.minted`. */
let metrics: Set<string>
/** As the exporter writes them, such as `stagepass_tokens_minted_total`. */
let series: Set<string>
let labels: Set<string>

beforeAll(async () => {
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const meter = new MeterProvider({ readers: [exporter] }).getMeter('test')
  // The stack adds the other options.
  await using stack = await startStack({
    bff: instrument({ vitals: true, sessions: { max: 9 } } as BffOptions<Request>, {
      meter,
      accounts: ['acme'],
      vitals: { firstText: { p95Ms: 800, target: 0.99 } },
    }),
  })
  const mint = { json: { usage_type: 'stt' } }
  const token = (await (await stack.fetch('/session-token', mint)).json()) as { session_key: string }
  await stack.fetch('/session-token', { json: { usage_type: 'asr' } })
  await stack.fetch('/handshake-check', { json: { usage_type: 'stt', session_key: token.session_key } })
  await stack.fetch('/sessions', { json: { usage_type: 'stt' } })
  await stack.bff.end({ user: 'eve' })
  await stack.fetch('/meetings')
  const figures = Object.fromEntries(codesOf(PAGE_FIGURES).map((name) => [name, [1]]))
  await stack.fetch('/vitals', { json: { engine: 'blink', network: '4g', products: { stt: figures } } })
  await stack.fetch('/tags', { headers: { 'x-stagepass': '0' } })
  const { resourceMetrics } = await exporter.collect()
  metrics = new Set(
    resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics.map(({ descriptor }) => descriptor.name)),
  )
  const lines = new PrometheusSerializer().serialize(resourceMetrics).split('\n')
  const samples = lines.filter((line) => line !== '' && !line.startsWith('#'))
  series = new Set(samples.map((line) => /^\w+/.exec(line)?.[0] ?? ''))
  labels = new Set(samples.flatMap((line) => Array.from(line.matchAll(/(\w+)="/g), ([, name = '']) => name)))
})

interface Dashboard {
  readonly panels: readonly {
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
  }[]
}

const { panels } = JSON.parse(read('grafana-dashboard.json')) as Dashboard
const targets = panels.flatMap((panel) => panel.targets)
const rules = [...read('alerts.yml').matchAll(/expr: (>?[\s\S]*?)\n {8}\w/g)].map(([, expr = '']) => expr)

/** Names of series in an expression. Other exporters add the unit, so an expression may have both names. */
const seriesIn = (expr: string): string[] =>
  Array.from(
    expr.replaceAll('(_seconds)?', '').matchAll(/\b(?:stagepass|http_(?:server|client))_\w+/g),
    ([name]) => name,
  ).filter((name) => !LABELS.has(name))
/** Labels that begin like a series. */
const LABELS = new Set(['stagepass_operation'])
/** Labels in an expression, but those that Prometheus adds. */
const labelsIn = (text: string): string[] =>
  [
    ...Array.from(text.matchAll(/(\w+)(?:=~|!=|=)"/g), ([, name = '']) => name),
    ...Array.from(text.matchAll(/by \(([^)]*)\)/g), ([, names = '']) => names.split(', ')).flat(),
    ...Array.from(text.matchAll(/\{\{(\w+)\}\}/g), ([, name = '']) => name),
  ].filter((name) => !['__name__', 'job', 'instance'].includes(name))

const unknown = (names: readonly string[], known: ReadonlySet<string>): string[] =>
  names.filter((name) => !known.has(name))

describe('names of metrics', () => {
  it('of the rules', () => {
    expect(rules).toHaveLength(7)
    expect(rules.flatMap(seriesIn).length).toBeGreaterThanOrEqual(5)
    expect(unknown(rules.flatMap(seriesIn), series)).toEqual([])
    expect(unknown(rules.flatMap(labelsIn), labels)).toEqual([])
  })

  it('of the tests of the rules', () => {
    const names = Array.from(read('alerts.test.yml').matchAll(/series: (\w+)/g), ([, name = '']) =>
      name.replace('_duration_seconds_', '_duration_'),
    )
    expect(names.length).toBeGreaterThan(5)
    expect(unknown(names, series)).toEqual([])
  })

  it('of the dashboard', () => {
    expect(targets.length).toBeGreaterThan(10)
    for (const { expr } of targets) expect([expr, seriesIn(expr).length]).toEqual([expr, 1])
    expect(
      unknown(
        targets.flatMap(({ expr }) => seriesIn(expr)),
        series,
      ),
    ).toEqual([])
    const used = targets.flatMap(({ expr, legendFormat }) => labelsIn(`${expr} ${legendFormat}`))
    expect(unknown(used, labels)).toEqual([])
  })

  it('of the pages: each of the run is in the list, and no other is named', () => {
    const page = read('../../docs/observability.md')
    const table = page.slice(page.indexOf('The metrics, '), page.indexOf('## Prometheus'))
    const listed = Array.from(table.matchAll(/^- `((?:http|stagepass)\.[\w.]+)`/gm), ([, name = '']) => name)
    const ofPages = Array.from(
      read('../../docs/vitals.md').matchAll(/`(stagepass\.page\.[\w.]+)`/g),
      ([, name = '']) => name,
    )
    expect(new Set([...listed, ...ofPages])).toEqual(metrics)
    const named = Array.from(
      page.matchAll(/`(stagepass\.[\w.]+|http\.(?:server|client)\.[\w.]+)`/g),
      ([, name = '']) => name,
    )
    // Attributes of spans, and of the client's metrics.
    const attributes = ['account', 'request_id', 'operation', 'via'].map((name) => `stagepass.${name}`)
    expect(unknown(named, new Set([...metrics, ...attributes]))).toEqual([])
  })
})

it('the rule and the panels of pages are those of the table of figures', () => {
  expect(withRule(read('alerts.yml'))).toBe(read('alerts.yml'))
  const dashboard = read('grafana-dashboard.json')
  expect(JSON.parse(withPanels(dashboard))).toEqual(JSON.parse(dashboard))
})

it('each alert has a section in the page, and each section an alert', () => {
  const page = read('../../docs/observability.md')
  const sections = Array.from(
    page.slice(page.indexOf('## Alerts'), page.indexOf('## A code')).matchAll(/^### (.*)$/gm),
    ([, title = '']) => `docs/observability.md#${title.toLowerCase().replaceAll(' ', '-')}`,
  )
  const urls = Array.from(read('alerts.yml').matchAll(/runbook_url: (\S+)/g), ([, url = '']) => url)
  expect(urls).toEqual(sections)
})
