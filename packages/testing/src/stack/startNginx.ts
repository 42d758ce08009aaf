import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './freePorts.js'

export interface Nginx extends AsyncDisposable {
  /** `127.0.0.1:<port>` */
  readonly host: string
}

export interface NginxOptions {
  /** `http://127.0.0.1:<port>` */
  readonly target: string
  /** Directives of the location, such as `proxy_set_header Host $http_host;`. */
  readonly directives?: string
  /** Locations of your own, in place of one that passes everything on to `target`. */
  readonly locations?: string
  /** If given, nginx uses TLS. PEM texts. */
  readonly tls?: { readonly key: string; readonly cert: string }
  /** Default: `NGINX_PATH`, or the path in Debian. */
  readonly program?: string
}

const DEBIAN = '/usr/sbin/nginx'

/** Starts a real nginx in front of a server. */
export async function startNginx({
  target,
  directives = '',
  locations = `location / {
      proxy_pass ${target};
      proxy_http_version 1.1;
      ${directives}
    }`,
  tls,
  program = process.env.NGINX_PATH ?? (existsSync(DEBIAN) ? DEBIAN : 'nginx'),
}: NginxOptions): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-nginx-'))
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  if (tls) {
    writeFileSync(join(folder, 'key.pem'), tls.key)
    writeFileSync(join(folder, 'cert.pem'), tls.cert)
  }
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;
master_process off;
pid ${folder}/pid;
error_log stderr;
events {}
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  server {
    listen 127.0.0.1:${port}${tls ? ' ssl' : ''};
    ${tls ? `ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;` : ''}
    ${locations}
  }
}
`,
  )
  const nginx = spawn(program, ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  nginx.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const kill = (): void => void nginx.kill('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise<never>((_, reject) => {
    nginx.once('error', (cause) =>
      reject(
        new Error(`Failed to start nginx: ${program} cannot be run. Install nginx-light or set NGINX_PATH.`, {
          cause,
        }),
      ),
    )
    nginx.once('exit', () => reject(new Error(`Failed to start nginx: it ended. Its output:\n${errors}`)))
  })
  // nginx does not report that it is ready, so try to connect.
  const isReady = async (): Promise<void> => {
    while (!(await accepts(port))) continue
  }
  await Promise.race([isReady(), ended])
  ended.catch(() => undefined)

  return {
    host: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      process.off('exit', kill)
      const gone = once(nginx, 'exit')
      nginx.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
