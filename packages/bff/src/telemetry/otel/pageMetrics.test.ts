import { LOST_REASONS, PRODUCT_NAMES } from '@stagepass/contract'
import { describe, expect, it } from 'vitest'
import type { CommonOptions } from '../../settings/BffOptions.js'
import { instrument, type PageObjectives } from '../../otel.js'
import { startInstrumented } from './startInstrumented.test.kit.js'
import type { Request } from 'express'

const report = (products: object) => ({ engine: 'blink', network: '4g', products })

it('each figure is a histogram in seconds, by product, engine and network', async () => {
  await using stack = await startInstrumented({ vitals: true })
  await stack.fetch('/vitals', { json: report({ stt: { firstText: [300, 900], open: [20] } }) })
  const labels = { product: 'stt', engine: 'blink', network: '4g' }
  expect(await stack.pointsOf('stagepass.page.first_text')).toEqual([[labels, 2]])
  expect(await stack.pointsOf('stagepass.page.open')).toEqual([[labels, 1]])
})

it('counts lost connections by product and reason, from 0', async () => {
  await using stack = await startInstrumented({ vitals: true })
  const all = await stack.pointsOf('stagepass.page.drops')
  expect(all).toHaveLength(PRODUCT_NAMES.length * LOST_REASONS.length)
  expect(all.every(([, count]) => count === 0)).toBe(true)
  await stack.fetch('/vitals', { json: report({ vt: { drops: { stall: 2 } } }) })
  const counted = (await stack.pointsOf('stagepass.page.drops')).filter(([, count]) => count > 0)
  expect(counted).toEqual([[{ product: 'vt', reason: 'stall' }, 2]])
})

it('an account is a label only if the host has listed it', async () => {
  await using stack = await startInstrumented({ vitals: true }, { accounts: ['acme'] })
  const apiKey = 'a key of a customer with 40 characters'
  for (const account of ['acme', 'globex']) {
    stack.grant = { user: 'ada', account, apiKey }
    await stack.fetch('/vitals', { json: report({ stt: { open: [20] } }) })
  }
  const labels = { product: 'stt', engine: 'blink', network: '4g' }
  expect(await stack.pointsOf('stagepass.page.open')).toEqual([
    [{ ...labels, account: 'acme' }, 1],
    [labels, 1],
  ])
})

describe('objectives', () => {
  const vitals = { firstText: { p95Ms: 800, target: 0.99 } }

  it('count the reports that meet them, and those that do not, from 0', async () => {
    await using stack = await startInstrumented({ vitals: true }, { vitals })
    const counts = async () =>
      (await stack.pointsOf('stagepass.page.objective.reports')).map(([labels, count]) => [labels, count])
    const [met, missed] = [true, false].map((met) => ({ figure: 'firstText', met }))
    expect(await counts()).toEqual([
      [met, 0],
      [missed, 0],
    ])
    for (const firstText of [[800], [100, 200, 801], [100, 200, 300]])
      await stack.fetch('/vitals', { json: report({ stt: { firstText } }) })
    // A report without the figure says nothing about it.
    await stack.fetch('/vitals', { json: report({ stt: { open: [9_000] } }) })
    expect(await counts()).toEqual([
      [met, 2],
      [missed, 1],
    ])
    expect(await stack.pointsOf('stagepass.page.objective.target')).toEqual([[{ figure: 'firstText' }, 0.99]])
  })

  it.each([
    [{ firstWord: { p95Ms: 800, target: 0.99 } }, '"vitals" has no figure "firstWord". Use only: open,'],
    [{ firstText: { p95Ms: 800, target: 1 } }, '"vitals.firstText" is not an objective.'],
    [{ firstText: { p95Ms: 0, target: 0.9 } }, '"vitals.firstText" is not an objective.'],
    [{ firstText: { p95Ms: '800', target: Number.NaN } }, '"vitals.firstText" is not an objective.'],
  ])('%j throws a sentence with its remedy', (wrong, sentence) => {
    const given = wrong as unknown as PageObjectives
    const options = {} as CommonOptions<Request>
    expect(() => instrument(options, { vitals: given })).toThrow(`Failed to instrument the BFF: ${sentence}`)
  })
})
