import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { runIn } from '../consumer/runIn.js'
import { TOOLS } from './tools.js'

/** A registry on loopback that holds the packages of this repository, and passes on requests for all others. */
export interface LocalRegistry {
  readonly url: string
  /** With it, npm uses this registry, and nothing of what it has cached of another one. */
  readonly env: NodeJS.ProcessEnv
  publish(tarballs: readonly string[]): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startRegistry(): Promise<LocalRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-registry-'))
  // The registry that npm has here stands in for the public one.
  const uplink = execFileSync('npm', ['config', 'get', 'registry', '--loglevel=error'], { encoding: 'utf8' })
  mkdirSync(join(folder, 'storage'))
  const child = spawn('node', [join(TOOLS, 'registry.mjs'), folder, uplink.trim()], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(child, 'exit')
  let url = ''
  for await (const line of createInterface({ input: child.stdout })) {
    if (/^http:\/\/127\.0\.0\.1:\d+\/$/.test(line)) {
      url = line
      break
    }
    console.error(line)
  }
  if (url === '') throw new Error('Failed to start the local registry: see what it printed above.')
  child.stdout.resume()
  // npm publishes only with a token, and this registry takes any.
  writeFileSync(join(folder, 'npmrc'), `${url.replace('http:', '')}:_authToken=local\n`)
  const env = {
    npm_config_registry: url,
    npm_config_userconfig: join(folder, 'npmrc'),
    npm_config_cache: join(folder, 'cache'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  }
  return {
    url,
    env,
    async publish(tarballs) {
      for (const path of tarballs)
        await runIn(folder, 'npm', ['publish', '--loglevel=error', '--access=public', path], { env })
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}
