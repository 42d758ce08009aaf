/** Close code of a refusal, and of a token that has expired. */
export const POLICY_VIOLATION = 1008

/** The server's side of one open socket: what a product does with the messages that come. */
export interface ProductStream {
  onText(text: string): void
  onBinary(bytes: Uint8Array): void
}

/** What a product stream sends. */
export interface StreamOutput {
  send(data: string | Uint8Array): void
  close(code: number, reason: string): void
}

/** The time and timers of one product stream. */
export interface StreamContext {
  /** The emulator's time, in milliseconds since the epoch. */
  readonly now: () => number
  /** Runs the task later, unless the socket is closed by then. Returns its cancel. */
  readonly after: (delayMs: number, task: () => void) => () => void
}

export type CreateProductStream = (output: StreamOutput, context: StreamContext) => ProductStream

export function sendJson(output: StreamOutput, frame: object): void {
  output.send(JSON.stringify(frame))
}

/** How the products of the emulator's own invention refuse a message. */
export function refuseFrame(output: StreamOutput, message: string): void {
  sendJson(output, { type: 'error', code: 'bad_frame', message })
}

/** The object in a text frame, or `undefined` if there is none. */
export function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
