import { readsReactNative, transformForPhone } from '@stagepass/testing/phone'
import { build, type Plugin } from 'esbuild'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** The conditions of Metro for iOS and Android. */
const METRO = ['react-native', 'import']

/** Replaces a module, such as one that needs a phone. */
const alias = (modules: Readonly<Record<string, string>>): Plugin => ({
  name: 'alias',
  setup(bundler) {
    for (const [name, path] of Object.entries(modules))
      bundler.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path }))
  },
})

/**
 * Bundles a program as an application for a phone would: with Metro's conditions, then through React Native's
 * own preset for Hermes, without a plugin of ours. The bundle is one script without imports.
 */
export async function bundlePhone(
  entry: string,
  { modules = {} }: { modules?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    absWorkingDir: root,
    bundle: true,
    write: false,
    // The preset gets all syntax that we publish.
    target: 'esnext',
    format: 'iife',
    platform: 'neutral',
    mainFields: ['react-native', 'module', 'main'],
    conditions: METRO,
    define: { 'process.env.NODE_ENV': '"production"', __DEV__: 'false' },
    jsx: 'automatic',
    plugins: [alias(modules), readsReactNative],
    logLevel: 'error',
  })
  return transformForPhone(outputFiles[0]?.text ?? '', 'phone.js')
}

/** The files of an entry of @stagepass/react with these conditions, from the root of the repository. */
export async function graphOf(entry: string, conditions: readonly string[]): Promise<readonly string[]> {
  const { metafile } = await build({
    stdin: { contents: `export * from '${entry}'`, resolveDir: resolve(root, 'packages/react') },
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: [...conditions],
    external: ['react', 'react/*', '@tanstack/*', 'react-native'],
    logLevel: 'error',
  })
  return Object.keys(metafile.inputs).filter((path) => path !== '<stdin>')
}
