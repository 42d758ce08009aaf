import type { Duplex } from 'node:stream'
import type { Dispatcher } from 'undici/index.js'

export type Headers = Readonly<Record<string, string | string[] | undefined>>
export type Controller = Pick<Dispatcher.DispatchController, 'abort'>

/** A handler of undici for one request, with the events that the BFF uses. */
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
}
