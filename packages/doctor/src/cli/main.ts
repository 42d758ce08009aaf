#!/usr/bin/env node
import { runCli } from './runCli.js'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // A second Ctrl-C ends the process at once.
  process.once(signal, () => stop.abort(new Error('stopped')))
}

// No `await` at the top: this file is built as CommonJS too.
void runCli({
  argv: process.argv.slice(2),
  environment: process.env,
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
  isTerminal: process.stdout.isTTY,
  signal: stop.signal,
}).then((exitCode) => {
  process.exitCode = exitCode
})
