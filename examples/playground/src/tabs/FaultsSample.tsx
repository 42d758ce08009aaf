import { delay, drop, fail } from '@stagepass/emulator/browser'
import {
  useMeetings,
  useSessionToken,
  useStream,
  VoiceProvider,
  type VoiceError,
} from '@stagepass/react'
import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import type { SampleProps } from './Tab.js'

/** Each starts a fault, and returns the function that ends it. */
const FAULTS: Readonly<
  Record<string, (props: SampleProps) => (() => void) | void>
> = {
  none: () => {},
  'not signed in': ({ signIn }) => {
    signIn(null)
    return () => signIn('ada')
  },
  'no licence': ({ emulator }) => emulator.use(fail('AUTH_NO_LICENSE')),
  'service restarts': ({ emulator }) =>
    emulator.use(fail('CACHE_UNAVAILABLE')),
  'service unreachable': ({ emulator }) => emulator.use(drop()),
  'slow service': ({ emulator }) => emulator.use(delay(4_000)),
  'WebSocket dropped': ({ emulator }) =>
    emulator.sockets.forEach((socket) => socket.drop()),
  'token expired': ({ emulator }) => {
    for (const { sessionKey } of emulator.tokens.all())
      emulator.tokens.update(sessionKey, {
        expiresAtMs: emulator.clock.now(),
      })
    emulator.sockets.forEach((socket) => socket.drop())
  },
}

export function FaultsSample(props: SampleProps): ReactNode {
  const [fault, setFault] = useState('none')
  const end = useRef<(() => void) | void>(undefined)

  function choose(name: string): void {
    end.current?.()
    end.current = FAULTS[name]?.(props)
    setFault(name)
  }

  return (
    <VoiceProvider client={props.voice}>
      <fieldset>
        <legend>Fault</legend>
        {Object.keys(FAULTS).map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="fault"
              checked={fault === name}
              onChange={() => choose(name)}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <Hooks fault={fault} />
    </VoiceProvider>
  )
}

function Hooks({ fault }: { readonly fault: string }): ReactNode {
  const { renew, ...token } = useSessionToken('stt')
  const { refresh, ...list } = useMeetings({
    fields: ['title'],
    pageSize: 5,
  })
  const stream = useStream('stt')
  const before = useRef(fault)

  // So that something is requested while the fault is there, and again when it has gone.
  useEffect(() => {
    if (before.current === fault) return
    before.current = fault
    void renew()
    void refresh()
  }, [fault, renew, refresh])

  return (
    <dl>
      <Row
        name="Token"
        status={token.status}
        error={token.failureReason}
      />
      <Row
        name="Stream"
        status={stream.status}
        error={stream.failureReason}
      />
      <Row
        name="Meetings"
        status={list.isRefreshing ? 'refreshing' : list.status}
        error={list.error ?? list.refreshError ?? list.failureReason}
      />
    </dl>
  )
}

interface RowProps {
  readonly name: string
  readonly status: string
  readonly error: VoiceError | null | undefined
}

function Row({ name, status, error }: RowProps): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd aria-live="polite">
        {status}
        {error && (
          <>
            {', '}
            <code>{error.code}</code>{' '}
            {error.retryable ? 'is tried again' : 'is final'}:{' '}
            {error.message}
          </>
        )}
      </dd>
    </>
  )
}
