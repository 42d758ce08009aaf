import type { ReactNode } from 'react'
import { useState } from 'react'
import type { DemoState } from '../state/useDemoState.js'
import { Segments } from '../ui/Segments.js'
import { injectFault } from './injectFault.js'

const TIMES = { once: 'Once', always: 'Until reset' } as const
const REFUSALS = { status: 'HTTP status', frame: 'Error frame', close: 'Close reason' } as const

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
      <Segments label="How often" name="times" value={times} options={TIMES} onChange={setTimes} />
      <FaultGroup title="Token endpoint" names={codes.token} onChoose={fail} />
      <FaultGroup
        title="Next handshake"
        names={codes.handshake}
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
      <FaultGroup title="Meetings" names={codes.meetings} onChoose={fail} />
      <FaultGroup
        title="The network"
        names={['drop', 'slow', 'malformed']}
        onChoose={(kind) => inject(kind, { type: 'outage', kind, ...(times === 'once' ? { times: 1 } : {}) })}
      />
    </div>
  )
}

interface FaultGroupProps {
  readonly title: string
  readonly names: readonly string[]
  readonly onChoose: (name: string) => void
  readonly children?: ReactNode
}

function FaultGroup({ title, names, onChoose, children }: FaultGroupProps): ReactNode {
  return (
    <fieldset className="fault-group">
      <legend>{title}</legend>
      {children}
      <div className="row">
        {names.map((name) => (
          <button className="fault mono" key={name} onClick={() => onChoose(name)}>
            {name}
          </button>
        ))}
      </div>
    </fieldset>
  )
}
