import { HANDSHAKE_ERRORS, MEETINGS_ERRORS, type Product, PRODUCTS, TOKEN_ERRORS } from '@stagepass/contract'
import { useVoiceClient, type VoiceEvent } from '@stagepass/react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import type { FaultName, FaultResult, NowName } from '../../server/faults.js'
import { Choice } from '../Choice.js'
import type { Gauges } from './useDemoFeed.js'

const TIMES = { once: 'Once', always: 'Until reset' } as const
const REFUSALS = { status: 'HTTP status', frame: 'Error frame', close: 'Close reason' } as const
type Place = 'network' | 'response' | 'meetings' | 'stream'
/** The other faults: where each belongs, and what it does. */
const OTHERS: Readonly<Record<FaultName, readonly [place: Place, meaning: string]>> = {
  drop: ['network', 'The connection is cut without a response.'],
  'drop before reading': ['network', 'The connection is cut before the request is read.'],
  'drop mid-response': ['network', 'Half of the response comes, then the connection is cut.'],
  'close idle': ['network', 'A connection that was idle is closed when the next request is on its way.'],
  slow: ['network', 'The response takes four seconds.'],
  hang: ['network', 'There is no response, and the connection stays open.'],
  html: ['response', 'The response is the HTML page of a proxy, with 502.'],
  'bad JSON': ['response', 'The response is JSON that ends in the middle.'],
  'wrong shape': ['response', 'The response is JSON, and none of its fields is known.'],
  empty: ['response', 'The response has no body.'],
  oversized: ['response', 'The response has 16 MiB.'],
  endless: ['response', 'The response does not end.'],
  redirect: ['response', 'The response redirects to another address.'],
  encoded: ['response', 'The response is compressed, although the request does not allow it.'],
  'byte order mark': ['response', 'The response begins with a byte order mark.'],
  'expired cursor': [
    'meetings',
    'The service no longer knows the cursor of the next page. Press “Load more”.',
  ],
  'odd fields': ['meetings', 'A title is a number, and a duration is text.'],
  'refuse 402': ['stream', 'A stream is refused with a number, and no code says why.'],
  'refuse 500': ['stream', 'A stream is refused because the service has failed.'],
  'accept, then close': ['stream', 'A stream opens, and is closed at once.'],
}
/** What happens at once, to all open streams. */
const NOW: Readonly<Record<NowName, readonly [words: string, meaning: string]>> = {
  cut: ['Cut all streams now', 'As when a phone changes from Wi-Fi to mobile data.'],
  close: ['Close all streams now', 'As when the service restarts.'],
  freeze: ['Freeze all streams now', 'They stay open, and nothing comes or is read.'],
}

const titlesOf = (
  table: Readonly<Record<string, { readonly title: string }>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(table).map(([code, { title }]) => [code, title]))

const othersOf = (place: Place): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(OTHERS).flatMap(([name, [where, meaning]]) => (where === place ? [[name, meaning]] : [])),
  )

/** All faults, with a sentence for each. */
const GROUPS = [
  { title: 'When a token is asked for', meanings: titlesOf(TOKEN_ERRORS) },
  { title: 'When a stream connects', meanings: { ...titlesOf(HANDSHAKE_ERRORS), ...othersOf('stream') } },
  {
    title: 'When meetings are asked for',
    meanings: { ...titlesOf(MEETINGS_ERRORS), ...othersOf('meetings') },
  },
  { title: 'On the network', meanings: othersOf('network') },
  { title: 'In a response', meanings: othersOf('response') },
]

/** Injects errors of the service, and all other failures that the emulator knows. */
export function FaultPanel({ upstream }: { readonly upstream: Gauges['upstream'] | undefined }): ReactNode {
  const [times, setTimes] = useState<keyof typeof TIMES>('once')
  const [refuseBy, setRefuseBy] = useState<keyof typeof REFUSALS>('status')
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
    watchRenewals(fault.type === 'expire' || fault.type === 'now')
    const result = await send(fault)
    if (!result) setSaid('The server did not take it. Look at its terminal, then try again.')
    else if (fault.type === 'expire')
      setSaid(`Living tokens that expired: ${result.tokens}. Sockets that are cut: ${result.sockets}.`)
    else if (fault.type === 'now') setSaid(`${words}. Open sockets: ${result.sockets}.`)
    else setSaid(`Set: ${words}.`)
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
      <fieldset>
        <legend>At once</legend>
        <ul>
          <Fault
            words="Expire all tokens now"
            meaning="Their streams are cut, and come back with new tokens."
            onPress={() => void inject('', { type: 'expire' })}
          />
          {Object.entries(NOW).map(([name, [words, meaning]]) => (
            <Fault
              key={name}
              words={words}
              meaning={meaning}
              onPress={() => void inject(words, { type: 'now', name })}
            />
          ))}
        </ul>
      </fieldset>
      {GROUPS.map(({ title, meanings }) => (
        <fieldset key={title}>
          <legend>{title}</legend>
          <ul>
            {Object.entries(meanings).map(([name, meaning]) => (
              <Fault key={name} words={name} meaning={meaning} onPress={() => set(name)} />
            ))}
          </ul>
        </fieldset>
      ))}
    </div>
  )
}

interface FaultProps {
  readonly words: string
  /** What it does, in a sentence. */
  readonly meaning: string
  readonly onPress: () => void
}

function Fault({ words, meaning, onPress }: FaultProps): ReactNode {
  const id = useId()
  return (
    <li>
      <button className="fault" aria-describedby={id} onClick={onPress}>
        {words}
      </button>
      <span className="hint" id={id}>
        {meaning}
      </span>
    </li>
  )
}

/** After what happens at once: a sentence for each stream of this page that was cut. */
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
      return `was cut, and is connected again with a new token, after ${event.tookMs.toFixed(0)} ms.`
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
