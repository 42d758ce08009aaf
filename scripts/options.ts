import { parseArgs, type ParseArgsConfig } from 'node:util'

/**
 * Reads the options of a script as `parseArgs` does. `--help` prints `usage`; a wrong option prints the error
 * and `usage`.
 */
export function readOptions<const TConfig extends ParseArgsConfig>(
  usage: string,
  config: TConfig,
): ReturnType<typeof parseArgs<TConfig>> {
  if (process.argv.includes('--help')) {
    console.log(usage)
    return process.exit()
  }
  try {
    return parseArgs(config)
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    return process.exit(1)
  }
}
