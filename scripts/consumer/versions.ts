/**
 * Versions that the cases install. Raise a version here, run `npx tsx scripts/consumer/run.ts --write`, and
 * commit the tables that it writes.
 */
export const VERSIONS = {
  '@babel/preset-env': '7.29.14',
  '@fastify/express': '4.0.7',
  '@fastify/middie': '9.3.6',
  '@hono/node-server': '2.1.8',
  '@nestjs/common': '12.5.1',
  '@nestjs/core': '12.5.1',
  '@nestjs/platform-express': '12.5.1',
  '@oven/bun-linux-x64': '1.4.5',
  '@react-router/dev': '7.18.4',
  '@react-router/node': '7.18.4',
  '@react-router/serve': '7.18.4',
  '@rspack/cli': '2.2.8',
  '@rspack/core': '2.3.2',
  '@tanstack/react-query': '5.108.0',
  '@testing-library/dom': '10.4.2',
  '@testing-library/react': '16.3.3',
  '@types/express': '5.0.6',
  '@types/node': '24.13.2',
  '@types/react': '19.3.0',
  '@types/react-dom': '19.3.0',
  '@yarnpkg/cli-dist': '4.18.1',
  bun: '1.4.5',
  connect: '3.7.0',
  deno: '2.9.6',
  esbuild: '0.28.2',
  express: '5.3.0',
  fastify: '5.12.8',
  h3: '2.0.8',
  hono: '4.13.19',
  isbot: '5.2.3',
  jest: '30.5.2',
  'jest-environment-jsdom': '30.5.2',
  jsdom: '27.4.0',
  koa: '3.3.0',
  'koa-connect': '2.1.1',
  miniflare: '4.20260426.0',
  next: '16.4.6',
  parcel: '2.16.4',
  pnpm: '12.21.0',
  react: '19.3.1',
  'react-dom': '19.3.1',
  'react-router': '7.18.4',
  'reflect-metadata': '0.2.2',
  rxjs: '7.8.2',
  'ts-jest': '29.4.15',
  tsx: '4.23.15',
  typescript: '7.0.2',
  vite: '8.3.8',
  vitest: '4.1.12',
} as const satisfies Readonly<Record<string, string>>

/** Other versions of the same packages, with a row for each. */
export const OTHER_VERSIONS = {
  express: ['4.18.0', '4.21.2'],
  /** The lowest version of each supported line, and newer lines. */
  node: ['20.19.0', '22.12.0', '24.21.0', '26.10.0'],
  typescript: ['5.4.3', '5.9.3', '6.0.3'],
  vite: ['5.4.9', '6.4.6', '7.3.8'],
} as const

export type PackageName = keyof typeof VERSIONS

/** Dependencies for package.json, at the versions above. */
export function versionsOf(...names: readonly PackageName[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, VERSIONS[name]]))
}
