/** Packages that only the cases of hosts install. */
export const HOST_VERSIONS = {
  '@fastify/express': '4.0.7',
  '@fastify/middie': '9.3.6',
  '@hono/node-server': '2.1.8',
  '@koa/bodyparser': '6.1.0',
  '@nestjs/common': '12.5.1',
  '@nestjs/core': '12.5.1',
  '@nestjs/platform-express': '12.5.1',
  '@oven/bun-linux-x64': '1.4.5',
  '@react-router/dev': '7.18.4',
  '@react-router/node': '7.18.4',
  '@react-router/serve': '7.18.4',
  'body-parser': '2.4.0',
  connect: '3.7.0',
  deno: '2.9.6',
  esbuild: '0.28.2',
  fastify: '5.12.8',
  h3: '2.0.8',
  hono: '4.13.19',
  isbot: '5.2.3',
  koa: '3.3.0',
  'koa-connect': '2.1.1',
  miniflare: '4.20260426.0',
  'react-router': '7.18.4',
  'reflect-metadata': '0.2.2',
  rxjs: '7.8.2',
} as const satisfies Readonly<Record<string, string>>

export const EXPRESS_VERSIONS = ['4.18.0', '4.21.2', '5.3.0'] as const

type HostPackage = keyof typeof HOST_VERSIONS

export function hostVersions(...names: readonly HostPackage[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, HOST_VERSIONS[name]]))
}
