import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { provideNginx } from '../../programs.js'
import { startIn } from '../runIn.js'

export interface Nginx {
  /** As browsers write it. */
  readonly origin: string
  stop(): Promise<void>
}

/** An nginx that ends TLS, as it stands in front of many servers: it keeps Host, and says the scheme in `X-Forwarded-Proto`. */
export async function startNginx(parent: string, port: number, target: number): Promise<Nginx> {
  const folder = mkdtempSync(join(parent, 'nginx-'))
  const pair = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    algorithm: 'sha256',
  })
  writeFileSync(join(folder, 'key.pem'), pair.private)
  writeFileSync(join(folder, 'cert.pem'), pair.cert)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;
master_process off;
pid ${folder}/pid;
error_log stderr;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    location / {
      proxy_pass http://127.0.0.1:${target};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
    }
  }
}
`,
  )
  const nginx = startIn(folder, await provideNginx(), ['-p', folder, '-c', join(folder, 'nginx.conf')])
  return { origin: `https://127.0.0.1:${port}`, stop: () => nginx.stop() }
}
