import { runIn } from '@stagepass/testing/programs'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { bundlePhone } from './bundlePhone.js'

const root = resolve(import.meta.dirname, '../..')
const cli = dirname(createRequire(import.meta.url).resolve('hermes-engine-cli/package.json'))
const hermes = join(
  cli,
  { linux: 'linux64-bin', darwin: 'osx-bin', win32: 'win64-bin' }[process.platform as 'linux'],
  'hermes',
)

/** Runs a program as Hermes runs an application, and returns the lines that it printed. */
function runInHermes(code: string): { step: string }[] {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-hermes-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'phone.js')
  writeFileSync(file, code)
  const printed = execFileSync(hermes, ['-O', '-w', file], { encoding: 'utf8' })
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { step: string })
}

it('S61 what is published runs in Hermes: tokens, streams, refusals, losses and the background', async () => {
  await runIn(root, 'npm', ['run', 'build', '--silent', '-w', '@stagepass/react'])
  const code = await bundlePhone('test/phone/hermes/program.tsx', {
    modules: { 'react-native': join(import.meta.dirname, 'hermes/appState.ts') },
  })
  expect(code).not.toMatch(/react-dom|createOrJoinSocket/)
  const steps = runInHermes(code)
  expect(Object.fromEntries(steps.map(({ step, ...what }) => [step, what]))).toMatchInlineSnapshot(`
    {
      "an hour later": {
        "attempts": 0,
        "retryAt": null,
      },
      "another user": {
        "ended": "ABORTED false",
        "open": 0,
        "user": "bob",
      },
      "back": {
        "attempts": 1,
        "open": 1,
        "status": "open",
      },
      "behind": {
        "closedWith": 1000,
        "open": 0,
        "status": "reconnecting",
      },
      "checked": {
        "checks": 1,
        "failure": "concurrency_limit_exceeded",
      },
      "closed early": {
        "closedWith": 1000,
        "status": "closed",
      },
      "entries": {
        "start": [
          "{"config":{"audio":{"format":"pcm_s16le","sample_rate":16000},"source_language":"de-DE","target_language":"en-US","voice":"female"}}",
        ],
        "text": "Guten Tag
    ",
      },
      "handshake": {
        "headers": {
          "Authorization": "api-key st_secret_2",
        },
        "status": "connecting",
        "url": "wss://service.test/stt",
      },
      "kept": {
        "kept": "open",
        "open": 1,
        "plain": "reconnecting",
      },
      "open": {
        "received": [
          "heard",
        ],
        "sent": 1,
        "status": "open",
      },
      "other network": {
        "closedWith": 1000,
        "open": 1,
        "status": "open",
      },
      "refused": {
        "checks": 0,
        "failure": "unauthorized",
        "isOther": true,
        "status": "reconnecting",
      },
      "renewed": {
        "count": 2,
        "now": 2,
        "old": "",
      },
      "secrets": {
        "credentials": [
          "omit",
        ],
        "inAddresses": 0,
        "inEvents": 0,
        "inRequests": 0,
        "sockets": 12,
      },
      "silent": {
        "aborted": "ABORTED true",
        "late": "NETWORK_ERROR true",
      },
      "soon back": {
        "open": 1,
        "status": "open",
      },
      "stopped": {
        "closedWith": 1000,
        "open": 1,
        "status": "open",
      },
      "token": {
        "asked": [
          {
            "authorization": "Bearer access",
            "credentials": "omit",
            "path": "/session-token",
          },
        ],
        "json": ""[session token]"",
        "value": "st_secret_1",
      },
    }
  `)
})
