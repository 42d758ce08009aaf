import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkModel } from './streamModel.test.kit.js'

it('S35 the stream keeps its invariants after any actions, and no data of one user reaches another', async () => {
  // Loaded once in real time, so that the sequences are the same at every run.
  await import('./resend/createResend.js')
  await import('./wire/createHandshakeCheck.js')
  let unanswered = 0
  const changedWhile = new Set<string>()
  // The same sequences at every run.
  const details = await checkModel({
    runs: 640 * Number(process.env.SEED_FACTOR ?? 1),
    seed: 21,
    onHeld(voice, states) {
      for (const state of states) changedWhile.add(state)
      const reasons = voice.events.map((event) => 'lostBy' in event && event.lostBy)
      if (reasons.includes('unanswered')) unanswered += 1
    },
  })
  const report = details.failed && `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}`
  expect(report).toBe(false)
  expect(unanswered).toBeGreaterThan(5)
  expect([...changedWhile].toSorted()).toEqual([
    'checking',
    'closed',
    'connecting',
    'draining',
    'failed',
    'idle',
    'offline',
    'open',
    'reconnecting',
    'rolling over',
    'signed out',
  ])
}, 900_000)
