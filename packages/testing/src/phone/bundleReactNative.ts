import { transformAsync } from '@babel/core'
import { build, type Plugin } from 'esbuild'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

/**
 * React Native's preset for Babel, as Metro uses it for Hermes, without a plugin of ours. Imports stay,
 * because esbuild resolves them.
 */
export async function transformForPhone(code: string, filename: string): Promise<string> {
  const options = {
    unstable_transformProfile: 'hermes-stable',
    disableImportExportTransform: true,
    enableBabelRuntime: false,
    // Set, so that the preset does not read the environment.
    withDevTools: false,
  }
  const result = await transformAsync(code, {
    presets: [[require.resolve('@react-native/babel-preset'), options]],
    filename,
    configFile: false,
    babelrc: false,
    compact: false,
  })
  return result?.code ?? ''
}

/** Removes the types from the sources of React Native, which are written in Flow. */
export const readsReactNative: Plugin = {
  name: 'react-native',
  setup(bundler) {
    bundler.onLoad({ filter: /node_modules\/(?:@react-native|react-native)\/.*\.js$/ }, async ({ path }) => ({
      contents: await transformForPhone(await readFile(path, 'utf8'), path),
    }))
  },
}

/** Bundles what the tests use of React Native for iOS into one CommonJS file. */
export async function bundleReactNative(outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('reactNative.js', import.meta.url))],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'neutral',
    target: 'node20',
    mainFields: ['react-native', 'main'],
    conditions: ['react-native', 'require'],
    resolveExtensions: ['.ios.js', '.native.js', '.js', '.json'],
    define: {
      __DEV__: 'false',
      'process.env.NODE_ENV': '"production"',
      global: 'phoneGlobal',
      globalThis: 'phoneGlobal',
      self: 'phoneGlobal',
      XMLHttpRequest: 'phoneGlobal.XMLHttpRequest',
      Blob: 'phoneGlobal.Blob',
      FileReader: 'phoneGlobal.FileReader',
    },
    // Node's own globals stay as they are: a BFF and an emulator run beside the phone.
    banner: { js: 'const phoneGlobal = Object.create(globalThis);' },
    plugins: [readsReactNative],
    logLevel: 'error',
  })
}
