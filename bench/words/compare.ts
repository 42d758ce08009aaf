import type { EmulatorHandle } from '@stagepass/emulator/browser'
import type { Line } from './createLine.js'
import { type Heard, PART_MS, partsOf, type Recording } from './recording.js'

/** What became of the speech of a recording, in ms. */
export interface Words {
  /** It never reached the service. */
  readonly lost: number
  /** It came again after the page had the final text about it. */
  readonly twice: number
  /** It came again, final or not. */
  readonly again: number
  /** It is in no final text that the page got. */
  readonly withoutText: number
}

/** How long a user spoke, and for how long the service was paid. */
export interface Time {
  readonly saidMs: number
  readonly paidMs: number
}

/** How long all connections of a service were open. */
export const paidMs = (service: Pick<EmulatorHandle, 'billedMs'>): number =>
  Object.values(service.billedMs()).reduce((sum, ms) => sum + ms, 0)

/**
 * `heard`: by the names of the connections. `unsureMs`: a smaller difference of a part is one of
 * the measurement.
 */
export function compare(
  recording: Recording,
  { connections }: Pick<Line, 'connections'>,
  heard: Readonly<Record<string, readonly Heard[]>>,
  unsureMs = 0,
): Words {
  const sure = (ms: number): number => (ms > unsureMs ? Math.round(ms) : 0)
  const stretches = connections
    .flatMap(({ id, finals, arrivedAt }) =>
      (heard[id] ?? []).map((one) => ({ ...one, at: arrivedAt(one.fromMs), finals })),
    )
    .toSorted((one, other) => one.at - other.at)
  const words = { lost: 0, twice: 0, again: 0, withoutText: 0 }
  for (const part of partsOf(recording)) {
    const own = stretches.filter((one) => one.part === part)
    const arrived = own.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
    const texts = own.flatMap(({ fromMs, toMs, finals }) =>
      finals.map(({ at, ...final }) => ({
        at,
        ms: Math.max(0, Math.min(toMs, final.toMs) - Math.max(fromMs, final.fromMs)),
      })),
    )
    const said = texts.reduce((sum, { ms }) => sum + ms, 0)
    let twice = 0
    for (const { fromMs, toMs, at } of own) {
      const before = texts.reduce((sum, text) => (text.at < at ? sum + text.ms : sum), 0)
      twice += Math.max(0, before + toMs - fromMs - PART_MS)
    }
    words.lost += sure(PART_MS - arrived)
    words.again += sure(arrived - PART_MS)
    words.twice += sure(twice)
    words.withoutText += sure(PART_MS - said)
  }
  return words
}

export const mapValues = <TFrom, TTo>(
  values: Readonly<Record<string, TFrom>>,
  map: (value: TFrom) => TTo,
): Record<string, TTo> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
