import {
  type ErrorRow,
  HANDSHAKE_ERRORS,
  MEETINGS_ERRORS,
  type Product,
  PRODUCTS,
  TOKEN_ERRORS,
} from '@stagepass/contract'
import { useVoiceClient, type VoiceEvent } from '@stagepass/react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import type { FaultResult } from '../../server/faults.js'
import { Choice } from '../Choice.js'
import type { Gauges } from './useDemoFeed.js'

const TIMES = { once: 'Once', always: 'Until reset' } as const
const REFUSALS = { status: 'HTTP status', frame: 'Error frame', close: 'Close reason' } as const
const OUTAGES = {
  drop: 'The connection is cut without an answer.',
  slow: 'The answer takes four seconds.',
  malformed: 'The answer is an HTML page.',
} as const

const titlesOf = (table: Readonly<Record<string, ErrorRow>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(table).map(([code, { title }]) => [code, title]))

/** All faults, with a sentence for each. */
const GROUPS = [
  { title: 'When a token is asked for', meanings: titlesOf(TOKEN_ERRORS) },
  { title: 'When a stream connects', meanings: titlesOf(HANDSHAKE_ERRORS) },
  { title: 'When meetings are asked for', meanings: titlesOf(MEETINGS_ERRORS) },
  { title: 'On the network', meanings: OUTAGES },
]

/** Injects errors of the service, and three more failures, into the emulator. */
export function FaultPanel({ upstream }: { readonly upstream: Gauges['upstream'] | undefined }): ReactNode {
  const [times, setTimes] = useState<keyof typeof TIMES>('once')
  const [refuseBy, setRefuseBy] = useState<keyof typeof REFUSALS>('status')
  const id = useId()
  const [said, setSaid] = useState('')
  const [renewals, watchRenewals] = useRenewals()
  if (upstream === 'service') {
    return (
      <p className="drawer-body hint">
        This is the real service. Faults can be injected into the emulator alone: start the demo without the
        VOICE_* variables for that.
      </p>
    )
  }

  async function inject(
    words: string,
    fault: { readonly type: string; readonly [name: string]: unknown },
  ): Promise<void> {
    watchRenewals(fault.type === 'expire')
    const result = await send(fault)
    if (!result) setSaid('The server did not take it. Look at its terminal, then try again.')
    else if (fault.type !== 'expire') setSaid(`Set: ${words}.`)
    else setSaid(`Living tokens that expired: ${result.tokens}. Sockets that are cut: ${result.sockets}.`)
  }
  function set(name: string): void {
    const isOnce = times === 'once'
    void inject(`${name}, ${isOnce ? 'for the next request' : 'until reset'}`, {
      type: 'fail',
      name,
      refuseBy,
      times: isOnce ? 1 : undefined,
    })
  }

  return (
    <div className="drawer-body faults">
      <p className="hint">
        Choose what the voice service does wrong. Then start a product or reload the meetings, and see what
        the page makes of it. Reset ends all of it, and restores the meetings.
      </p>
      <div className="row">
        <button className="button" onClick={() => void inject('', { type: 'expire' })}>
          Expire all tokens now
        </button>
        <button className="button" onClick={() => void inject('Emulator reset', { type: 'reset' })}>
          Reset
        </button>
      </div>
      <div className="said" role="status">
        <p>{said}</p>
        {renewals.map((words) => (
          <p key={words}>{words}</p>
        ))}
      </div>
      <Choice label="How often it happens" value={times} options={TIMES} onChange={setTimes} />
      <Choice label="How a handshake is refused" value={refuseBy} options={REFUSALS} onChange={setRefuseBy} />
      {GROUPS.map(({ title, meanings }) => (
        <fieldset key={title}>
          <legend>{title}</legend>
          <ul>
            {Object.entries(meanings).map(([name, meaning]) => (
              <li key={name}>
                <button className="fault" aria-describedby={`${id}${name}`} onClick={() => set(name)}>
                  {name}
                </button>
                <span className="hint" id={`${id}${name}`}>
                  {meaning}
                </span>
              </li>
            ))}
          </ul>
        </fieldset>
      ))}
    </div>
  )
}

/** After "Expire all tokens now": a sentence for each stream of this page that was cut. */
function useRenewals() {
  const voice = useVoiceClient()
  const [isOn, setIsOn] = useState(false)
  const [found, setFound] = useState<ReadonlyMap<Product, string>>(new Map())
  useEffect(() => {
    if (!isOn) return undefined
    return voice.subscribe((event) =>
      setFound((before) => {
        const words = renewalWords(event)
        const isNew = event.type === 'stream.reconnecting'
        if (!words || !('product' in event) || !(isNew || before.has(event.product))) return before
        return new Map(before).set(event.product, `${PRODUCTS[event.product].name} ${words}`)
      }),
    )
  }, [voice, isOn])
  const watch = (on: boolean): void => {
    setFound(new Map())
    setIsOn(on)
  }
  return [[...found.values()], watch] as const
}

function renewalWords(event: VoiceEvent): string | undefined {
  switch (event.type) {
    case 'stream.reconnecting':
      return `was cut (${event.code}) and connects again.`
    case 'stream.opened':
      return `was cut, and is connected again on a new token, after ${event.tookMs.toFixed(0)} ms.`
    case 'stream.failed':
      return `has failed (${event.code}).`
    default:
      return undefined
  }
}

async function send(fault: object): Promise<FaultResult | undefined> {
  try {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch('/api/demo/faults', { method: 'POST', headers, body: JSON.stringify(fault) })
    return response.ok ? ((await response.json()) as FaultResult) : undefined
  } catch {
    return undefined
  }
}
