import { createEmulator } from '@stagepass/emulator'
import { expect, it } from 'vitest'
import * as doctor from './index.js'

it('exports this', () => {
  expect(Object.keys(doctor)).toEqual(['runDoctor'])
})

it('can be called from a program, and the report contains no secret', async () => {
  await using upstream = await createEmulator()
  const service = {
    apiKey: upstream.apiKey,
    baseUrl: new URL(upstream.baseUrl),
    streamingUrl: new URL(upstream.streamingUrl),
    meetingsUrl: new URL(upstream.meetingsUrl),
    meetingsToken: undefined,
  }
  const names: string[] = []
  const report = await doctor.runDoctor(
    { type: 'service', service },
    { onResult: ({ name }) => names.push(name) },
  )
  expect(report.ok).toBe(true)
  expect(report.checks.map(({ name }) => name)).toEqual(names)
  const stopped = new AbortController()
  const run = doctor.runDoctor(
    { type: 'service', service },
    {
      signal: stopped.signal,
      onResult: ({ name }) => name === 'stream vt' && stopped.abort(new Error('enough')),
    },
  )
  await expect(run).rejects.toThrow('enough')
})
