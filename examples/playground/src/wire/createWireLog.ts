import type { WireEvent } from '@stagepass/emulator/browser'
import { describeBody, shorten } from './shorten.js'

/** One line of the log. */
export interface WireEntry {
  readonly key: string
  readonly at: number
  readonly way: string
  readonly text: string
  readonly result: string
  readonly tone: 'plain' | 'good' | 'bad'
  readonly details: readonly string[]
}

/** The last things that went over the wire, oldest first. Knows no React. */
export interface WireLog {
  readonly add: (event: WireEvent) => void
  readonly clear: () => void
  readonly entries: () => readonly WireEntry[]
  readonly subscribe: (listener: () => void) => () => void
}

const KEPT = 100

export function createWireLog(): WireLog {
  const listeners = new Set<() => void>()
  let entries: readonly WireEntry[] = []
  let lines = 0

  function change(next: readonly WireEntry[]): void {
    entries = next.slice(-KEPT)
    for (const listener of listeners) listener()
  }

  function push(entry: Omit<WireEntry, 'key'>, key = `line ${(lines += 1)}`): void {
    change([...entries, { ...entry, key }])
  }

  /** Changes the line of a request. If it was cleared, there is nothing to change. */
  function amend(key: string, with_: (entry: WireEntry) => Partial<WireEntry>): void {
    change(entries.map((entry) => (entry.key === key ? { ...entry, ...with_(entry) } : entry)))
  }

  function add(event: WireEvent): void {
    const { at } = event
    switch (event.type) {
      case 'request': {
        const way = event.from === 'page' ? 'page → BFF' : 'BFF → service'
        const { pathname, search } = new URL(event.url)
        const sent = Object.entries(event.headers).map(([name, value]) => `${name}: ${shorten(value)}`)
        return push(
          {
            at,
            way,
            text: shorten(`${event.method} ${pathname}${search}`),
            result: '…',
            tone: 'plain',
            details: [...sent, ...describeBody(event.body)],
          },
          `request ${event.id}`,
        )
      }
      case 'response':
        return amend(`request ${event.id}`, (entry) => ({
          result: `${event.status} in ${at - entry.at} ms`,
          tone: event.status < 400 ? 'good' : 'bad',
          details: [...entry.details, `← ${event.status}`, ...describeBody(event.body ?? '')],
        }))
      case 'failed':
        return amend(`request ${event.id}`, () => ({ result: event.reason, tone: 'bad' }))
      case 'handshake': {
        const { pathname, search } = new URL(event.url)
        const text = shorten(`WebSocket ${event.socket}: GET ${pathname}${search}`)
        return push({ at, way: 'page → service', text, result: '', tone: 'plain', details: [] })
      }
      case 'opened':
        return push(ofSocket(event, '101, open', 'good'))
      case 'refused':
        return push(ofSocket(event, `refused with ${event.status}`, 'bad'))
      case 'closed': {
        const text = `closed with ${event.code} ${shorten(event.reason)}`.trim()
        return push(ofSocket(event, text, event.code === 1_000 || event.code === 1_005 ? 'plain' : 'bad'))
      }
      case 'message':
        return addMessage(event)
      default:
        return event satisfies never
    }
  }

  function addMessage({ at, socket, from, data }: Extract<WireEvent, { type: 'message' }>): void {
    const way = from === 'page' ? 'page → service' : 'service → page'
    if (typeof data === 'string')
      return push({
        at,
        way,
        text: `WebSocket ${socket}: ${shorten(data)}`,
        result: '',
        tone: 'plain',
        details: [],
      })
    // Audio comes many times a second: one line for what follows on each other.
    const last = entries.at(-1)
    const sound = `sound ${socket} ${from} `
    const count = 1 + (last?.key.startsWith(sound) ? Number(last.result.split(' ')[0]) : 0)
    const text = `WebSocket ${socket}: bytes`
    const entry = { at, way, text, tone: 'plain', details: [] } as const
    if (last && count > 1) amend(last.key, () => ({ result: `${count} messages` }))
    else push({ ...entry, result: '1 message' }, `${sound}${(lines += 1)}`)
  }

  return {
    add,
    clear: () => change([]),
    entries: () => entries,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function ofSocket(
  { at, socket }: { readonly at: number; readonly socket: number },
  result: string,
  tone: WireEntry['tone'],
): Omit<WireEntry, 'key'> {
  return { at, way: 'service → page', text: `WebSocket ${socket}`, result, tone, details: [] }
}
