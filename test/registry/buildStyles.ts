import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runIn } from '@stagepass/testing/programs'
import { ITEM_NAMES, readItem } from '../../registry/build.js'

/*
 * The styles of all items, as the production builds of applications have them. Versions are raised by hand.
 */

const NEXT = ['next@16.4.3', 'react@19.3.0', 'react-dom@19.3.0']
const WEBPACK = [
  'webpack@5.113.0',
  'webpack-cli@7.2.3',
  'css-loader@7.1.5',
  'mini-css-extract-plugin@2.10.2',
  'postcss@8.5.33',
  'postcss-loader@8.2.1',
  'postcss-preset-env@11.6.2',
  'css-minimizer-webpack-plugin@8.0.0',
  'lightningcss@1.33.0',
  'esbuild@0.28.2',
]

const IMPORTS = ITEM_NAMES.map((name) => `import './${name}.css'\n`).join('')

/** `MODE` is one of `MODES`. */
const WEBPACK_CONFIG = `
const Extract = require('mini-css-extract-plugin')
const Minimizer = require('css-minimizer-webpack-plugin')
const mode = process.env.MODE
// By default it puts the start of a line at the left, as applications do that are read from the left alone.
const features = { 'logical-properties-and-values': false, 'float-clear-logical-values': false }
const plugins = [['postcss-preset-env', { features }]]
const presetEnv = { loader: 'postcss-loader', options: { postcssOptions: { plugins } } }
const minimizers = {
  cssnano: new Minimizer(),
  lightningcss: new Minimizer({
    minify: Minimizer.lightningCssMinify,
    minimizerOptions: { targets: { chrome: 111 << 16, safari: (16 << 16) | (4 << 8), firefox: 114 << 16 } },
  }),
  esbuild: new Minimizer({ minify: Minimizer.esbuildMinify, minimizerOptions: { target: 'chrome111' } }),
}
module.exports = {
  mode: 'production',
  entry: './index.mjs',
  output: { path: __dirname + '/out/' + mode },
  plugins: [new Extract()],
  module: {
    rules: [
      { test: /css$/, use: [Extract.loader, 'css-loader', ...(mode === 'postcss-preset-env' ? [presetEnv] : [])] },
    ],
  },
  optimization: { minimize: mode in minimizers, minimizer: [minimizers[mode]].filter(Boolean) },
}
`
const MODES = ['css-loader', 'postcss-preset-env', 'cssnano', 'lightningcss', 'esbuild']

/** A new folder with these files, the items' styles, and these packages. */
async function install(
  folder: string,
  packages: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<(env: NodeJS.ProcessEnv, ...args: readonly string[]) => Promise<string>> {
  const styles = Object.fromEntries(ITEM_NAMES.map((name) => [`${name}.css`, readItem(name, 'css')]))
  for (const [path, text] of Object.entries({ 'package.json': '{ "private": true }', ...styles, ...files })) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  await runIn(folder, 'npm', ['install', '--no-audit', '--no-fund', ...packages], { limitSeconds: 900 })
  return (env, ...args) => runIn(folder, 'npx', ['--no-install', ...args], { env, limitSeconds: 900 })
}

/** All styles in a folder, in one text. */
export const stylesIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.css'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n')

/** The styles by the name of the build. It installs the builds in `folder`. */
export async function buildStyles(folder: string): Promise<Map<string, string>> {
  const built = new Map<string, string>()
  const next = join(folder, 'next')
  const runNext = await install(next, NEXT, {
    'app/layout.js': `${IMPORTS.replaceAll('./', '../')}export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>
}`,
    'app/page.js': 'export default function Page() { return null }',
  })
  for (const bundler of ['turbopack', 'webpack']) {
    await runNext({}, 'next', 'build', `--${bundler}`)
    built.set(`Next.js, ${bundler}`, stylesIn(join(next, '.next/static')))
  }
  const webpack = join(folder, 'webpack')
  const runWebpack = await install(webpack, WEBPACK, {
    'index.mjs': IMPORTS,
    'webpack.config.cjs': WEBPACK_CONFIG,
  })
  for (const mode of MODES) {
    await runWebpack({ MODE: mode }, 'webpack')
    built.set(`webpack, ${mode}`, stylesIn(join(webpack, 'out', mode)))
  }
  return built
}
