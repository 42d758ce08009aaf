import type { CoreOptions } from '../core/options.js'
import { PRODUCTION_VARIABLE, refuseProduction } from '../core/platform/refuseProduction.js'

interface NodeOptions {
  /** TCP port. Default 0: any free one. */
  port?: number | undefined
  /** Address to listen on. Default `127.0.0.1`: only this machine can connect. */
  host?: string | undefined
  /**
   * The first of two permissions to run with NODE_ENV=production. The second is
   * STAGEPASS_EMULATOR_IN_PRODUCTION=1 in the environment.
   */
  allowProduction?: boolean | undefined
  /** The environment variables. Default `process.env`. */
  environment?: Readonly<Record<string, string | undefined>> | undefined
}

export const NODE_OPTION_NAMES: readonly (keyof NodeOptions)[] = [
  'port',
  'host',
  'allowProduction',
  'environment',
]

/**
 * Options of `createEmulator`. Every option has a default. A wrong option throws a sentence with its name.
 */
export interface EmulatorOptions extends NodeOptions, CoreOptions {}

interface NodeSettings {
  readonly port: number
  readonly host: string
}

/** Throws with NODE_ENV=production, unless both permissions are given. */
export function resolveNodeOptions(options: NodeOptions): NodeSettings {
  const { port = 0, host = '127.0.0.1' } = options
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`Failed to start the emulator: port is ${port}. Give a whole number from 0 to 65535.`)
  const { environment = process.env, allowProduction } = options
  const variable = environment[PRODUCTION_VARIABLE]
  const written = `${PRODUCTION_VARIABLE}=1`
  refuseProduction({ mode: environment.NODE_ENV, allowProduction, variable, written })
  return { port, host }
}
