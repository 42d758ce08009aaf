import { type ErrorRow, HANDSHAKE_ERRORS, MEETINGS_ERRORS, TOKEN_ERRORS } from '@stagepass/contract'
import type { ReactNode } from 'react'
import { useId, useState } from 'react'
import type { DemoState } from '../state/useDemoState.js'
import { Segments } from '../ui/Segments.js'
import { injectFault } from './injectFault.js'

const TIMES = { once: 'Once', always: 'Until reset' } as const
const REFUSALS = { status: 'HTTP status', frame: 'Error frame', close: 'Close reason' } as const

const OUTAGES = {
  drop: 'The connection is cut without an answer.',
  slow: 'The answer takes four seconds.',
  malformed: 'The answer is an HTML page.',
} as const

/**
 * All errors of the service, and three more failures. (Contract: "Token errors", "Handshake errors",
 * "Meetings errors".)
 */
export function FaultPanel({ codes }: { readonly codes: DemoState['faultCodes'] }): ReactNode {
  const [times, setTimes] = useState<keyof typeof TIMES>('once')
  const [refuseBy, setRefuseBy] = useState<keyof typeof REFUSALS>('status')
  const [said, setSaid] = useState('')
  if (!codes) {
    return (
      <div className="empty">
        <strong>This is the real service</strong>
        <p>
          Faults can be injected into the emulator alone. Start the demo without the VOICE_* variables for
          that.
        </p>
      </div>
    )
  }

  const inject = (name: string, fault: Readonly<Record<string, unknown>>): void => {
    void injectFault(fault).then((done) =>
      setSaid(done ? `Set: ${name}.` : 'The server did not take it. Look at its terminal, then try again.'),
    )
  }
  const fail = (code: string, extra = {}): void =>
    inject(`${code}, ${times === 'once' ? 'for the next request' : 'until reset'}`, {
      type: 'fail',
      code,
      ...(times === 'once' ? { times: 1 } : {}),
      ...extra,
    })

  return (
    <div className="drawer-body faults">
      <p className="hint">
        Choose what the voice service does wrong. Then connect a product or reload the meetings, and see what
        the page makes of it. Reset ends all of it, and restores the meetings.
      </p>
      <div className="row">
        <button className="button" onClick={() => inject('All tokens expired', { type: 'expire' })}>
          Expire all tokens now
        </button>
        <button className="button" onClick={() => inject('Emulator reset', { type: 'reset' })}>
          Reset
        </button>
      </div>
      <p className="said" role="status">
        {said}
      </p>
      <Segments label="How often it happens" name="times" value={times} options={TIMES} onChange={setTimes} />
      <FaultGroup
        title="When a token is asked for"
        names={codes.token}
        meanings={titlesOf(TOKEN_ERRORS)}
        onChoose={fail}
      />
      <FaultGroup
        title="When a stream connects"
        names={codes.handshake}
        meanings={titlesOf(HANDSHAKE_ERRORS)}
        onChoose={(code) => fail(code, { refuseBy })}
      >
        <Segments
          label="How it is refused"
          name="refuse-by"
          value={refuseBy}
          options={REFUSALS}
          onChange={setRefuseBy}
        />
      </FaultGroup>
      <FaultGroup
        title="When meetings are asked for"
        names={codes.meetings}
        meanings={titlesOf(MEETINGS_ERRORS)}
        onChoose={fail}
      />
      <FaultGroup
        title="On the network"
        names={Object.keys(OUTAGES)}
        meanings={OUTAGES}
        onChoose={(kind) => inject(kind, { type: 'outage', kind, ...(times === 'once' ? { times: 1 } : {}) })}
      />
    </div>
  )
}

interface FaultGroupProps {
  readonly title: string
  readonly names: readonly string[]
  /** A sentence for each name. */
  readonly meanings: Readonly<Record<string, string>>
  readonly onChoose: (name: string) => void
  readonly children?: ReactNode
}

function FaultGroup({ title, names, meanings, onChoose, children }: FaultGroupProps): ReactNode {
  const id = useId()
  return (
    <fieldset className="fault-group">
      <legend>{title}</legend>
      {children}
      <ul>
        {names.map((name) => (
          <li key={name}>
            <button className="fault mono" aria-describedby={`${id}${name}`} onClick={() => onChoose(name)}>
              {name}
            </button>
            <span className="hint" id={`${id}${name}`}>
              {meanings[name]}
            </span>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

const titlesOf = (table: Readonly<Record<string, ErrorRow>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(table).map(([code, { title }]) => [code, title]))
