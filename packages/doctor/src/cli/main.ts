#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { runCli } from './runCli.js'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // A second Ctrl-C ends the process at once.
  process.once(signal, () => stop.abort())
}
// The reader of the pipe, such as `head`, has exited. By convention the exit code is 128 plus the number of
// SIGPIPE.
process.stdout.on('error', () => process.exit(141))

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String(Reflect.get(Object(manifest), 'version'))
}

process.exitCode = await runCli({
  argv: process.argv.slice(2),
  environment: process.env,
  version,
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
  coloured: process.stdout.isTTY && !process.env.NO_COLOR,
  signal: stop.signal,
})
