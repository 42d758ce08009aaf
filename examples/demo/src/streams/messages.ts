/** What comes back from any of the products, as the panels show it. */
export type DemoMessage =
  | { readonly type: 'sound'; readonly samples: Int16Array<ArrayBuffer> }
  | Line
  | { readonly type: 'refusal'; readonly text: string }

/** A caption. A later one of the same id replaces it. */
export interface Line {
  readonly type: 'line'
  readonly id: string
  readonly text: string
  readonly final: boolean
  readonly kind: 'heard' | 'translated' | 'spoken'
}

export function readSound(pcm: ArrayBuffer): DemoMessage {
  return { type: 'sound', samples: new Int16Array(pcm, 0, pcm.byteLength >> 1) }
}

/**
 * Reads a frame of the emulator's Speech-to-Text, Text-to-Speech or Voice Isolation. What is not known is
 * passed over.
 */
export function readFrame(data: string | ArrayBuffer): readonly DemoMessage[] {
  if (typeof data !== 'string') return [readSound(data)]
  const { type, text, final, id, utterance_id, message } = parse(data)
  if (type === 'error') return [{ type: 'refusal', text: String(message) }]
  if (typeof text !== 'string') return []
  if (type === 'transcript') {
    return [{ type: 'line', id: `heard ${String(utterance_id)}`, text, final: final === true, kind: 'heard' }]
  }
  if (type === 'start')
    return [{ type: 'line', id: `spoken ${String(id)}`, text, final: true, kind: 'spoken' }]
  return []
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return Object.fromEntries(Object.entries(value ?? {}))
  } catch {
    return {}
  }
}
