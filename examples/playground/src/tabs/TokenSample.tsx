import { useSessionToken, VoiceProvider } from '@stagepass/react'
import type { ReactNode } from 'react'
import { useSecond } from '../ui/useSecond.js'
import type { SampleProps } from './Tab.js'

export function TokenSample({
  voice,
  emulator,
}: SampleProps): ReactNode {
  return (
    <VoiceProvider client={voice}>
      <Token />
      <p className="note">
        Tokens minted so far: {useSecond(() => emulator.tokens.size)}
      </p>
    </VoiceProvider>
  )
}

function Token(): ReactNode {
  const {
    status,
    token,
    expiresAt,
    error,
    renew,
    expiresInMs,
    renewsInMs,
  } = useSessionToken('stt', {
    ttlMinutes: 5,
  })
  const expiresIn = useSecond(() => seconds(expiresInMs()))
  const renewsIn = useSecond(() => seconds(renewsInMs()))

  return (
    <>
      <dl>
        <dt>Status</dt>
        <dd aria-live="polite">{status}</dd>
        <dt>Token</dt>
        {/* The page shows no more of it than this. */}
        <dd>{token ? `${token.value.slice(0, 6)}…` : 'none'}</dd>
        <dt>Expires</dt>
        <dd>
          {expiresAt
            ? `${expiresAt.toLocaleTimeString('en')}, in ${expiresIn}`
            : 'not yet'}
        </dd>
        <dt>Renews itself in</dt>
        <dd>{renewsIn}</dd>
      </dl>
      {error && <p role="alert">{error.message}</p>}
      <button className="act" onClick={() => void renew()}>
        Renew now
      </button>
    </>
  )
}

function seconds(ms: number | undefined): string {
  return ms === undefined
    ? '–'
    : `${Math.max(0, Math.round(ms / 1_000))} s`
}
