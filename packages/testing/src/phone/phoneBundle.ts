import { mkdirSync, rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { bundleReactNative } from './bundleReactNative.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the bundle of React Native's JavaScript. */
    reactNative: string
  }
}

const FOLDER = new URL('../../../../.cache/phone/', import.meta.url).pathname

/** A global set-up of vitest: bundles once what the tests use of React Native. */
export async function setup(project: TestProject): Promise<() => void> {
  mkdirSync(FOLDER, { recursive: true })
  const file = `${FOLDER}reactNative.cjs`
  await bundleReactNative(file)
  project.provide('reactNative', file)
  return () => rmSync(FOLDER, { recursive: true, force: true })
}
