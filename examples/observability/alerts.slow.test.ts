import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '@stagepass/testing/freePorts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Load, sendLoad } from './sendLoad.js'
import { type Ports, type Programs, startPrograms } from './startPrograms.js'

/*
 * The example itself, with a real Prometheus and the rules of alerts.yml. Only the durations are others: each
 * `for` is a second, each window ten.
 */

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')

function writeConfig(folder: string, { instances }: Ports): string {
  const rules = read('alerts.yml')
    .replace(/for: \w+/g, 'for: 1s')
    .replace(/\[\d+[mh]\]/g, '[10s]')
  writeFileSync(join(folder, 'alerts.yml'), rules)
  const config = join(folder, 'prometheus.yml')
  const targets = instances.map(({ metrics }) => `127.0.0.1:${metrics}`).join(', ')
  writeFileSync(
    config,
    read('prometheus.yml')
      .replace(/_interval: \w+/g, '_interval: 500ms')
      .replace(/targets: .*/, `targets: [${targets}]`),
  )
  return config
}

const folder = mkdtempSync(join(tmpdir(), 'stagepass-alerts-'))
let prometheus: string
let programs: Programs
let load: Load

beforeAll(async () => {
  const [service = 0, redis = 0, first = 0, second = 0, third = 0, fourth = 0, last = 0] = await freePorts(7)
  const instances = [
    { bff: first, metrics: second },
    { bff: third, metrics: fourth },
  ]
  const ports: Ports = { service, redis, instances, prometheus: last }
  process.env.NODE_OPTIONS = '--conditions=@stagepass/source'
  programs = await startPrograms(ports, writeConfig(folder, ports))
  prometheus = `http://127.0.0.1:${last}/api/v1`
  load = sendLoad(instances.map(({ bff }) => `http://127.0.0.1:${bff}/api/voice`))
})

afterAll(async () => {
  load.stop()
  await programs[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
  delete process.env.NODE_OPTIONS
})

type Labels = Readonly<Record<string, string>>

async function ask<T>(path: string): Promise<T> {
  const response = await fetch(prometheus + path)
  return ((await response.json()) as { data: T }).data
}

/** Values of an expression, with their labels. */
async function query(expression: string): Promise<(readonly [labels: Labels, value: number])[]> {
  const data = await ask<{ result: { metric: Labels; value: [number, string] }[] }>(
    `/query?query=${encodeURIComponent(expression)}`,
  )
  return data.result.map(({ metric, value }) => [metric, Number(value[1])])
}

/** Labels of the alerts that fire now, by name. */
async function firing(): Promise<Record<string, Labels[]>> {
  const { alerts } = await ask<{ alerts: { labels: Labels; state: string }[] }>('/alerts')
  const found: Record<string, Labels[]> = {}
  for (const { labels, state } of alerts) {
    if (state === 'firing') (found[labels.alertname ?? ''] ??= []).push(labels)
  }
  return found
}

const soon = { timeout: 90_000, interval: 500 }

it.each([
  ['configuration is valid', 'check', 'config', 'prometheus.yml'],
  ['rules pass their own tests', 'test', 'rules', 'alerts.test.yml'],
])('the %s', (_, ...args) => {
  const promtool = process.env.PROMTOOL_PATH ?? 'promtool'
  const output = execFileSync(promtool, args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: 'pipe' })
  expect(output).toContain('SUCCESS')
})

describe('a real Prometheus', () => {
  it('reads both instances, and nothing fires while everything works', async () => {
    await expect
      .poll(() => query('sum by (job) (stagepass_tokens_minted_total) > 6'), soon)
      .toEqual([[{ job: 'stagepass' }, expect.any(Number)]])
    expect(await query('count by (job) (up == 1)')).toEqual([[{ job: 'stagepass' }, 2]])
    expect(await query('count_over_time(ALERTS[5m])')).toEqual([])
  })

  it('says of each instance that Redis is lost, and that it is back', async () => {
    await programs.stop('redis')
    const instances = (await query('up')).length
    await expect.poll(async () => (await firing()).StagepassRedisLost?.length, soon).toBe(instances)
    await programs.start('redis')
    await expect.poll(firing, soon).toEqual({})
  })

  it('says that the service is down, and that it is back', async () => {
    await programs.stop('service')
    await expect
      .poll(firing, soon)
      .toHaveProperty('StagepassUpstreamDown.0', expect.objectContaining({ job: 'stagepass' }))
    await programs.start('service')
    await expect.poll(firing, soon).toEqual({})
  })

  it('says that the key is refused, and that it works again', async () => {
    await programs.stop('key')
    await expect
      .poll(firing, soon)
      .toHaveProperty('StagepassKeyRefused.0', expect.objectContaining({ secret: 'apiKey' }))
    await programs.start('key')
    await expect.poll(firing, soon).toEqual({})
  })

  it('says that the budget is exhausted, until it is not', async () => {
    load.users = 30
    await expect
      .poll(firing, soon)
      .toHaveProperty('StagepassBudgetExhausted.0', expect.objectContaining({ job: 'stagepass' }))
    load.users = 0
    await expect.poll(firing, soon).toEqual({})
  })

  it('says that users wait, if a tenth of the pages is 300 ms slower, and no other alert fires', async () => {
    load.slowPages = 1
    await expect.poll(firing, soon).toEqual({
      StagepassUsersWait: [expect.objectContaining({ job: 'stagepass', figure: 'firstText' })],
    })
    load.slowPages = 0
    await expect.poll(firing, soon).toEqual({})
  })

  it('has not called anyone for what was not so', async () => {
    expect(await query('count_over_time(ALERTS{alertname="StagepassDrainStuck"}[10m])')).toEqual([])
    const [[, refused] = []] = await query(
      'max(count_over_time(ALERTS{alertname="StagepassKeyRefused"}[10m]))',
    )
    const [[, lost] = []] = await query('max(count_over_time(ALERTS{alertname="StagepassRedisLost"}[10m]))')
    expect([refused, lost]).toEqual([expect.any(Number), expect.any(Number)])
  })
})
