#!/usr/bin/env node
import { runCli } from './runCli.js'

const running = runCli({
  argv: process.argv.slice(2),
  environment: process.env,
  print: (text) => console.log(text),
  printAside: (text) => console.error(text),
})

// Before anything is printed: who reads the variables may stop it at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    console.error('Stopping.')
    void running.then(({ emulator }) => emulator?.close())
  })
}

const { exitCode } = await running
process.exitCode = exitCode
