/** A server application with the BFF in it, as docs/hosts.md shows it. */
export interface Host {
  /** With its version, as in the table. */
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
  /** Texts by path. The module `voice.js` is written beside the one that imports it. */
  readonly files: Readonly<Record<string, string | object>>
  /** Folder of `voice.js`. Default: that of the application. */
  readonly voiceIn?: string
  /** Programs of dependencies, run before the start. */
  readonly build?: readonly (readonly [command: string, ...args: string[]])[]
  /** A program of a dependency, by name or path. It listens on the port in the variable PORT. */
  readonly start: readonly [command: string, ...args: string[]]
  /**
   * Why it cannot do what the list of docs/hosts.md has under this number: 20 MB are 413; a client that
   * leaves ends the upstream request.
   */
  readonly cannot?: Partial<Record<6 | 7, string>>
  /** Default: the host knows nothing of a proxy, so a page behind one is refused until `origin` is set. */
  readonly followsForwardedProto?: boolean
  /** Files that let the host read the body before the BFF does, or why it cannot. */
  readonly parsed: Readonly<Record<string, string>> | string
}
