import type { StreamStats } from '@stagepass/react'
import type { ReactNode } from 'react'
import { formatCount } from '../ui/format.js'
import { useTick } from '../ui/useTick.js'

interface FrameCountsProps {
  readonly stats: () => StreamStats
  readonly open: boolean
}

/**
 * What went over the stream so far, as the key of its waveform. Looked up once a second; a message costs no
 * render.
 */
export function FrameCounts({ stats, open }: FrameCountsProps): ReactNode {
  useTick(1_000, open)
  const { sent, received, queued, dropped } = stats()
  const waiting = queued > 0 ? `, ${queued} waiting` : ''
  const lost = dropped > 0 ? `, ${dropped} dropped` : ''
  return (
    <div className="counts numbers">
      <span className="key">
        Sent {formatCount(sent, 'frame')}
        {waiting}
        {lost}
      </span>
      <span className="key received">Received {formatCount(received, 'frame')}</span>
    </div>
  )
}
