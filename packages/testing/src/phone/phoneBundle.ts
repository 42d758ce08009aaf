import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { bundleReactNative } from './bundleReactNative.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the bundle of React Native's JavaScript. */
    reactNative: string
  }
}

const CACHE = fileURLToPath(new URL('../../../../.cache/', import.meta.url))

/** A global set-up of vitest: bundles once what the tests use of React Native. */
export async function setup(project: TestProject): Promise<() => void> {
  mkdirSync(CACHE, { recursive: true })
  // Its own folder, because another run may be in progress.
  const folder = mkdtempSync(join(CACHE, 'phone-'))
  const file = join(folder, 'reactNative.cjs')
  await bundleReactNative(file)
  project.provide('reactNative', file)
  return () => rmSync(folder, { recursive: true, force: true })
}
