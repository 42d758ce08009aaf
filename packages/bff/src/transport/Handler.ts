import type { Duplex } from 'node:stream'
import type { Dispatcher } from 'undici/index.js'

export type Headers = Readonly<Record<string, string | string[] | undefined>>
export type Controller = Pick<Dispatcher.DispatchController, 'abort'>

/**
 * A handler in both forms. undici 7 and later call the methods above the line; undici 6, which is also Node's
 * own up to version 22, calls those below it. A dispatcher of the host may be either.
 */
export abstract class Handler implements Dispatcher.DispatchHandler {
  /** undici begins to write the request. */
  abstract started(controller: Controller): void
  abstract responded(status: number, headers: Headers): void
  abstract received(chunk: Buffer): void
  abstract completed(): void
  abstract failed(error: Error): void
  /** In place of a response, if the request asked for an upgrade. */
  abstract upgraded(headers: Headers, socket: Duplex): void

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.started(controller)
  }
  onRequestUpgrade(_: unknown, _status: number, headers: Headers, socket: Duplex): void {
    this.upgraded(headers, socket)
  }
  onResponseStart(_: unknown, status: number, headers: Headers): void {
    this.responded(status, headers)
  }
  onResponseData(_: unknown, chunk: Buffer): void {
    this.received(chunk)
  }
  onResponseEnd(): void {
    this.completed()
  }
  onResponseError(_: unknown, error: Error): void {
    this.failed(error)
  }

  // --- undici 6 ---

  onConnect(abort: (reason?: Error) => void): void {
    this.started({ abort })
  }
  onUpgrade(_status: number, headers: readonly (Buffer | string)[] | null, socket: Duplex): void {
    this.upgraded(readHeaders(headers ?? []), socket)
  }
  onHeaders(status: number, headers: readonly Buffer[]): boolean {
    this.responded(status, readHeaders(headers))
    return true
  }
  onData(chunk: Buffer): boolean {
    this.received(chunk)
    return true
  }
  onComplete(): void {
    this.completed()
  }
  onError(error: Error): void {
    this.failed(error)
  }
}

/** undici 6 gives names and values in turn. */
function readHeaders(raw: readonly (Buffer | string)[]): Headers {
  const headers: Record<string, string> = {}
  for (let at = 0; at + 1 < raw.length; at += 2)
    headers[String(raw[at]).toLowerCase()] ??= String(raw[at + 1])
  return headers
}
