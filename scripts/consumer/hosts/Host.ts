/** A server application with the BFF, as in docs/hosts.md. */
export interface Host {
  /** Name with version, as in the table. */
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
  /** Texts by path. The module `voice.js` is written next to the module that imports it. */
  readonly files: Readonly<Record<string, string | object>>
  /** Folder of `voice.js`. Default: the folder of the application. */
  readonly voiceIn?: string
  /** Programs of dependencies, run before the start. */
  readonly build?: readonly (readonly [command: string, ...args: string[]])[]
  /** A program of a dependency, by name or path. It listens on the port in the variable PORT. */
  readonly start: readonly [command: string, ...args: string[]]
  /**
   * Why it fails a point of the list in docs/hosts.md: a body of 20 MB gets 413 (6), or a client that leaves
   * ends the upstream request (7).
   */
  readonly cannot?: Partial<Record<6 | 7, string>>
  /** Default false: the host ignores the proxy, so a page behind it is refused until `origin` is set. */
  readonly followsForwardedProto?: boolean
  /** Files that let the host read the body before the BFF does, or why it cannot. */
  readonly parsed: Readonly<Record<string, string>> | string
}
