#!/usr/bin/env node
import { runCli } from './runCli.js'

const running = runCli({
  argv: process.argv.slice(2),
  environment: process.env,
  print: (text) => console.log(text),
  printError: (text) => console.error(text),
})

// Registered before anything is printed, because a program that reads the variables may stop the emulator at
// once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    console.error('Stopping.')
    void running.then(({ emulator }) => emulator?.close())
  })
}

const { exitCode } = await running
process.exitCode = exitCode
