import type { VoiceEvent } from '@stagepass/react'
import type { WireEntry } from './createWireLog.js'

/** A line of the log for an event of the voice client. Its events hold no token, so nothing needs masking. */
export function describeEvent(event: VoiceEvent): Omit<WireEntry, 'id' | 'at'> {
  const { type, at: _at, ...detail } = event
  const [lane = ''] = type.split('.')
  const product = 'product' in event ? `${event.product} ` : ''
  const code = 'code' in event && event.code ? ` · ${event.code}` : ''
  return {
    lane: lane === 'token' || lane === 'stream' ? lane : 'http',
    title: `${product}${type.replace(/^\w+\./, '').replaceAll('_', ' ')}${code}`,
    tone: code ? 'bad' : toneOf(type),
    detail,
  }
}

function toneOf(type: string): WireEntry['tone'] {
  return /minted|renewed|opened|rolled_over$/.test(type) ? 'good' : 'plain'
}
