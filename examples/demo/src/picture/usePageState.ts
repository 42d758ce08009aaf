import type { Product } from '@stagepass/contract'
import { useVoiceClient, type VoiceEvent } from '@stagepass/react'
import { useEffect, useState } from 'react'

/** What is known of a session token without reading it. */
export interface PageToken {
  /** Milliseconds since the epoch. */
  readonly endsAt: number
  /** The code of the last failure to renew it. */
  readonly problem?: string | undefined
}

/** The tokens that the page holds, and its open streams. From the client's events, which contain no token. */
export interface PageState {
  readonly tokens: ReadonlyMap<Product, PageToken>
  readonly streams: ReadonlySet<string>
}

const NOTHING: PageState = { tokens: new Map(), streams: new Set() }

export function usePageState(): PageState {
  const voice = useVoiceClient()
  const [state, setState] = useState(NOTHING)
  useEffect(() => voice.subscribe((event) => setState((before) => readEvent(before, event))), [voice])
  return state
}

function readEvent(state: PageState, event: VoiceEvent): PageState {
  if (event.type === 'client.reset' || event.type === 'client.user_changed') return NOTHING
  if (!('product' in event)) return state
  const { product } = event
  const { tokens, streams } = state
  if ('key' in event) return { tokens, streams: readStream(streams, `${product} ${event.key}`, event.type) }
  switch (event.type) {
    case 'token.minted':
    case 'token.renewed':
      return { streams, tokens: new Map(tokens).set(product, { endsAt: event.at + event.expiresInMs }) }
    case 'token.retrying':
    case 'token.failed': {
      const token = tokens.get(product)
      if (!token || !event.held) return { streams, tokens: without(tokens, product) }
      return { streams, tokens: new Map(tokens).set(product, { ...token, problem: event.code }) }
    }
    default: // It has expired.
      return { streams, tokens: without(tokens, product) }
  }
}

function readStream(
  streams: ReadonlySet<string>,
  name: string,
  type: VoiceEvent['type'],
): ReadonlySet<string> {
  if (type === 'stream.opened') return new Set(streams).add(name)
  if (!/reconnecting|closed|released|failed$/.test(type) || !streams.has(name)) return streams
  return new Set([...streams].filter((other) => other !== name))
}

function without(tokens: PageState['tokens'], product: Product): PageState['tokens'] {
  return tokens.has(product) ? new Map([...tokens].filter(([other]) => other !== product)) : tokens
}
