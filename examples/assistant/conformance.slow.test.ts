import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { startAssistant } from './assistant.test.kit.js'

const SUITE = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js')

// Without the scenarios that need a tool, a prompt or a resource of the suite's own.
it.each(['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])(
  'conforms to MCP: %s',
  async (scenario) => {
    // The suite has no token to send.
    await using assistant = await startAssistant({
      authorize: (credential) => ({ user: 'ada', meetings: { credential } }),
    })
    const args = [SUITE, 'server', '--url', assistant.url, '--scenario', scenario]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(stdout).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed/)
  },
)
