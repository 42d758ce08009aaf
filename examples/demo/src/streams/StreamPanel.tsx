import { PRODUCTS } from '@stagepass/contract'
import { useSessionToken, useStream } from '@stagepass/react'
import { usePlayback } from '@stagepass/react/audio'
import type { ReactNode } from 'react'
import { useId, useState } from 'react'
import { ErrorNotice } from '../errors/ErrorNotice.js'
import { Captions } from './Captions.js'
import { codecOf } from './codecOf.js'
import type { DemoProduct } from './demoProducts.js'
import { FrameCounts } from './FrameCounts.js'
import type { DemoMessage } from './messages.js'
import { MicrophoneControl } from '../audio/MicrophoneControl.js'
import { PlaybackControl } from '../audio/PlaybackControl.js'
import { RecordingControl } from '../audio/RecordingControl.js'
import { SoundSwitch } from './SoundSwitch.js'
import { StreamStatus } from './StreamStatus.js'
import { TextControl } from './TextControl.js'
import { TokenLine } from './TokenLine.js'
import { UsageLine } from './UsageLine.js'
import { useWaves } from '../audio/useWaves.js'
import { Waveform } from '../audio/Waveform.js'

/** The shortest life there is, so that a renewal can be watched. */
const TTL_MINUTES = 5

interface StreamPanelProps extends DemoProduct {
  readonly wanted: boolean
  readonly onWanted: (wanted: boolean) => void
}

/** One product that the user may use: its token, its stream, what goes in and what comes back. */
export function StreamPanel({
  product,
  purpose,
  takes,
  silenceMs,
  placeholder,
  wanted,
  onWanted,
}: StreamPanelProps): ReactNode {
  const { name } = PRODUCTS[product]
  const titleId = useId()
  const [sound, setSound] = useState(true)
  const waves = useWaves()
  const playback = usePlayback()

  const stream = useStream(product, {
    enabled: wanted,
    rollover: 'seamless',
    codec: codecOf(product),
    onMessage: hear,
  })
  const failed = wanted && stream.status === 'failed'
  // A stream that failed needs no token, and no renewals of one, until the person connects again.
  const token = useSessionToken(product, { ttlMinutes: TTL_MINUTES, enabled: wanted && !failed })
  const error = stream.failureReason ?? (wanted ? token.failureReason : null)
  const usable = stream.status === 'open' || stream.status === 'reconnecting'

  function hear(message: DemoMessage): void {
    if (message.type !== 'sound') return
    waves.addReceived(message.samples)
    if (sound) playback.play(message.samples)
  }

  function sendFrame(frame: ArrayBuffer): void {
    waves.addSent(new Int16Array(frame))
    stream.send(frame)
  }

  function connect(): void {
    // In the tap itself: later, no browser would let the sound out.
    playback.unlock()
    onWanted(true)
    if (token.status === 'error') void token.renew()
    stream.open()
  }

  function disconnect(): void {
    onWanted(false)
    stream.close()
    playback.interrupt()
  }

  function switchSound(on: boolean): void {
    playback.unlock()
    if (!on) playback.interrupt()
    setSound(on)
  }

  // What failed is closed already, so there is nothing to disconnect.
  const action = failed ? 'Connect again' : wanted ? 'Disconnect' : 'Connect'

  return (
    <section className="card panel" aria-labelledby={titleId} data-product={product}>
      <header className="panel-head">
        <div>
          <h3 id={titleId}>{name}</h3>
          <p>{purpose}</p>
        </div>
        <StreamStatus name={name} status={stream.status} />
      </header>

      <TokenLine token={token} wanted={wanted && !failed} lifeMs={TTL_MINUTES * 60_000} />
      <UsageLine product={product} />
      <div className="sound">
        <Waveform waves={waves} label={`Sound sent to ${name}, and received from it`} />
        <FrameCounts stats={stream.stats} open={stream.status === 'open'} />
        <SoundSwitch name={name} on={sound} onChange={switchSound} />
      </div>
      <Captions stream={stream} label={`Words from ${name}`} placeholder={placeholder} />

      <div className="panel-controls">
        {error && <ErrorNotice error={error} passing={!failed && error.retryable} />}
        <div className="row">
          <button
            className={action === 'Disconnect' ? 'button' : 'button primary'}
            aria-label={`${action} ${name}`}
            onClick={action === 'Disconnect' ? disconnect : connect}
          >
            {action}
          </button>
          {takes === 'sound' ? (
            <>
              <RecordingControl
                stream={stream.status}
                silenceMs={silenceMs}
                onStart={usable ? playback.unlock : connect}
                onFrame={sendFrame}
              />
              <MicrophoneControl disabled={!usable} onFrame={sendFrame} />
            </>
          ) : (
            <TextControl disabled={!usable} onSend={(text) => stream.send(JSON.stringify({ text }))} />
          )}
        </div>
        {product !== 'stt' && <PlaybackControl name={name} playback={playback} />}
      </div>
    </section>
  )
}
