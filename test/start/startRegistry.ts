import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/**
 * A registry on loopback with our packed packages. It redirects requests for all others to npm's configured
 * registry.
 */
export interface LocalRegistry extends AsyncDisposable {
  /** Variables that make npm use this registry, without its cache of another registry. */
  readonly env: NodeJS.ProcessEnv
}

interface Manifest {
  readonly name: string
  readonly version: string
}

export async function startRegistry(tarballs: readonly string[]): Promise<LocalRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-registry-'))
  const others = execFileSync('npm', ['config', 'get', 'registry', '--loglevel=error'], { encoding: 'utf8' })
  /** Its responses by path: tarballs, and a document for each package. */
  const files = new Map<string, Buffer>()
  const server = createServer((req, res) => {
    const file = files.get(decodeURIComponent(req.url ?? ''))
    if (file) res.end(file)
    else res.writeHead(307, { location: new URL((req.url ?? '').slice(1), others.trim()).href }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  for (const path of tarballs) {
    const bytes = readFileSync(path)
    const text = execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' })
    const manifest = JSON.parse(text) as Manifest
    const { name, version } = manifest
    const tarball = `${name}/-/${basename(path)}`
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    const dist = { tarball: url + tarball, integrity }
    const versions = { [version]: { ...manifest, dist } }
    files.set(`/${tarball}`, bytes)
    files.set(`/${name}`, Buffer.from(JSON.stringify({ name, 'dist-tags': { latest: version }, versions })))
  }
  writeFileSync(join(folder, 'npmrc'), '')
  return {
    env: {
      npm_config_registry: url,
      npm_config_userconfig: join(folder, 'npmrc'),
      npm_config_cache: join(folder, 'cache'),
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
