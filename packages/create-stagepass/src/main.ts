#!/usr/bin/env node

// No static imports, because an older Node would fail at them before it could print this message.
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
