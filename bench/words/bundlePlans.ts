import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { runPlans } from './runPlans.js'

interface Plans {
  readonly runPlans: typeof runPlans
}

const FILE = new URL('../.cache/runPlans.mjs', import.meta.url)

/**
 * The plans in one file. Code that loads later would take real time, in which the virtual clock goes on: on a
 * busy machine longer than a whole plan.
 */
export async function bundlePlans(): Promise<Plans> {
  await build({
    entryPoints: [fileURLToPath(new URL('./runPlans.tsx', import.meta.url))],
    outfile: fileURLToPath(FILE),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2023',
    conditions: ['@stagepass/source'],
    external: ['jsdom', 'undici'],
    jsx: 'automatic',
  })
  return import(FILE.href) as Promise<Plans>
}
