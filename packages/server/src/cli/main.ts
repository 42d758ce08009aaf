#!/usr/bin/env node
import { runCli } from './runCli.js'

const write = (text: string): void => void process.stdout.write(text)

/** Writes an error without its message, which may contain anything. */
function crash(error: unknown): void {
  const { name = 'unknown', stack = '' } = error instanceof Error ? error : {}
  const places = stack.split('\n').filter((text) => /^ +at /.test(text))
  write(
    `${JSON.stringify({ time: new Date().toISOString(), level: 'error', name, places, type: 'server.crashed' })}\n`,
  )
  // Lines that are still waiting are written first.
  setImmediate(() => process.exit(1))
}
process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)

const result = await runCli({
  argv: process.argv.slice(2),
  environment: process.env,
  write,
  writeError: (text) => void process.stderr.write(text),
})
if ('exitCode' in result) process.exitCode = result.exitCode
else
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    // A second signal ends the process at once.
    process.once(signal, () => void result.server.close().then(() => process.exit(0)))
