import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createEmulator } from '@stagepass/emulator'
import { expect, it } from 'vitest'
import { bundleServer, mint, settingsOf, startTeam } from './server.test.kit.js'

/*
 * The program with the limits of deploy/: no root, no capability, no new privilege, no writable folder. Linux
 * can set these limits for any process, even without a container. If the user of the tests is not root, it
 * first becomes root in its own namespace.
 */

const UNSHARE = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount']
const USER = process.getuid?.() === 0 ? '--reuid=65534 --regid=65534 --clear-groups' : ''

const SCRIPT = `mount -o remount,bind,ro / && exec setpriv ${USER} --inh-caps=-all --bounding-set=-all --no-new-privs "$@"`

it('S51 runs without root, capability, new privilege and writable folder', async () => {
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
    // `unshare`, the shell and `setpriv` have replaced themselves by the program, so they have the same
    // process id.
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
