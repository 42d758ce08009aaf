/** Close code of a refusal and of an expired token. */
export const POLICY_VIOLATION = 1008

/** The server's side of one open socket: a product's reaction to incoming messages. */
export interface ProductStream {
  onText(text: string): void
  onBinary(bytes: Uint8Array): void
}

/** The output of a product stream. */
export interface StreamOutput {
  send(data: string | Uint8Array): void
  close(code: number, reason: string): void
  /** Resets the connection. The client sees 1006. */
  drop(): void
}

/** The time and timers of one product stream. */
export interface StreamContext {
  /** The emulator's time, in milliseconds since the epoch. */
  readonly now: () => number
  /** Runs the task later, unless the socket is closed by then. Returns a function that cancels it. */
  readonly after: (delayMs: number, task: () => void) => () => void
}

export type CreateProductStream = (output: StreamOutput, context: StreamContext) => ProductStream

export function sendJson(output: StreamOutput, frame: object): void {
  output.send(JSON.stringify(frame))
}

/** Refuses a message, for products whose frames the emulator invented. */
export function refuseFrame(output: StreamOutput, message: string): void {
  sendJson(output, { type: 'error', code: 'bad_frame', message })
}

/** Returns the object in a text frame, or `undefined` if there is none. */
export function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
