#!/usr/bin/env node
import { runCli } from './runCli.js'

const { exitCode, emulator } = await runCli({
  argv: process.argv.slice(2),
  environment: process.env,
  print: (text) => console.log(text),
  printAside: (text) => console.error(text),
})
process.exitCode = exitCode

if (emulator) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      console.error('Stopping.')
      void emulator.close()
    })
  }
}
