import type { EmulatorHandle } from '../core/EmulatorCore.js'

/** A running stand-in for the upstream service. */
export interface Emulator extends EmulatorHandle {
  /** For `createBff` of `@stagepass/bff`: key and addresses of this emulator. */
  readonly bffOptions: {
    readonly apiKey: string
    readonly baseUrl: string
    readonly streamingUrl: string
    readonly meetings: { readonly baseUrl: string }
  }
  /** `{base_url}` of the token endpoint. */
  readonly baseUrl: string
  /** `{streaming_url}` of the sockets. */
  readonly streamingUrl: string
  /** Base of the meetings interface. */
  readonly meetingsUrl: string

  /** Drops everything and stops listening. A second call does nothing. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
