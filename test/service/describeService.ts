import { describe } from 'vitest'
import { describeHandshake } from './handshake.js'
import { describeMeetings } from './meetings.js'
import { createProve } from './prove.js'
import type { Service } from './Service.js'
import { describeTokens } from './tokens.js'

/** By headings of docs/contract.md. */
const PARTS = {
  'Token endpoint': describeTokens,
  'WebSocket endpoints': describeHandshake,
  'Meetings interface': describeMeetings,
}

/**
 * What docs/contract.md promises of the voice service, as tests. They know nothing of what the contract does
 * not show, except for the paths and names of the meetings interface. They use `fetch` and `ws`, and none of
 * our clients, schemas or tables. `start` is called for each test. `parts`: default all.
 *
 * emulator.test.ts runs it on the emulator, service.live.test.ts on a real service.
 */
export function describeService(
  name: string,
  start: () => Promise<Service>,
  parts: readonly (keyof typeof PARTS)[] = ['Token endpoint', 'WebSocket endpoints', 'Meetings interface'],
): void {
  const prove = createProve(start)
  describe(`the promises of the contract, on ${name}`, () => {
    for (const part of parts) {
      describe(`the section "${part}"`, () => {
        PARTS[part](prove)
      })
    }
  })
}
