#!/usr/bin/env node

// Without an import: an older Node would fail at one before it could say what is wrong.
const version = process.version.slice(1)
const [major = 0, minor = 0] = version.split('.').map(Number)

if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) {
  const { runCli } = await import('./runCli.js')
  process.exitCode = await runCli()
} else {
  process.stderr.write(
    `Failed to start: this is Node ${version}. Install Node 20.19, or 22.12 or newer, and try again.\n`,
  )
  process.exitCode = 1
}
