import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createEmulator } from '@stagepass/emulator'
import { expect, it } from 'vitest'
import { bundleServer, mint, settingsOf, startTeam } from './server.test.kit.js'

/*
 * The program under the limits of deploy/: no root, no capability, no new privilege, nothing to write. Linux
 * gives them to its processes, with or without a container. A user of the tests that is not root becomes it
 * in a namespace of its own first.
 */

const UNSHARE = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount']
const USER = process.getuid?.() === 0 ? '--reuid=65534 --regid=65534 --clear-groups' : ''

const SCRIPT = `mount -o remount,bind,ro / && exec setpriv ${USER} --inh-caps=-all --bounding-set=-all --no-new-privs "$@"`

it('S51 runs without root, capability and new privilege, and with nothing to write', async () => {
  await using upstream = await createEmulator()
  await using team = await startTeam()
  const args = [...UNSHARE, 'sh', '-ec', SCRIPT, 'sh', process.execPath, await bundleServer()]
  const child = spawn('unshare', args, {
    env: { PATH: process.env.PATH, ...settingsOf(upstream, team.url) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const started = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const line = output.split('\n').find((one) => one.includes('server.started'))
      if (line !== undefined) resolve((JSON.parse(line) as { url: string }).url)
    })
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.once('exit', () => reject(new Error(`The program ended.\n${output}`)))
  })
  const ended = once(child, 'exit') as Promise<[number | null]>
  try {
    const url = await started
    // `unshare`, the shell and `setpriv` have become the program: they have its process id.
    const read = (file: string): string => readFileSync(`/proc/${child.pid}/${file}`, 'utf8')
    const status = Object.fromEntries(
      [...read('status').matchAll(/^(\w+):\t(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
    )
    expect(status).toMatchObject({
      CapInh: '0000000000000000',
      CapPrm: '0000000000000000',
      CapEff: '0000000000000000',
      CapBnd: '0000000000000000',
      NoNewPrivs: '1',
    })
    expect(status.Uid).not.toMatch(/\b0\b/)
    expect(read('mountinfo')).toMatch(/ \/ \/ ro[, ]/)
    expect((await mint(url, { cookie: 'user=ada' })).status).toBe(200)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
    await ended
  }
})
