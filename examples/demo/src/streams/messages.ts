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

type Frame = Readonly<Record<string, unknown>>

const KINDS = new Map<unknown, Line['kind']>([
  ['transcript', 'heard'],
  ['translate', 'translated'],
  ['start', 'spoken'],
])

/**
 * Reads a frame of a product. The contract shows none: these are the ones of the emulator, and of `/vt` in public clients. What is not known
 * is passed over.
 */
export function readFrame(data: string | ArrayBuffer): DemoMessage | undefined {
  if (typeof data !== 'string') {
    return { type: 'sound', samples: new Int16Array(data, 0, data.byteLength >> 1) }
  }
  const frame = parse(data)
  const kind = KINDS.get(frame?.type)
  if (kind && typeof frame?.text === 'string') {
    const id = `${kind} ${String(frame.utterance_id ?? frame.id)}`
    return { type: 'line', id, text: frame.text, final: frame.final !== false, kind }
  }
  if (frame?.type === 'error') {
    return { type: 'refusal', text: String(frame.message ?? frame.description ?? frame.reason ?? frame.code) }
  }
  return undefined
}

function parse(text: string): Frame | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Frame) : undefined
  } catch {
    return undefined
  }
}
