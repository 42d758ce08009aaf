import { join } from 'node:path'
import { browse } from '../browse.js'
import type { Case, Context } from '../Case.js'
import { type AppOptions, makeApp } from '../makeApp.js'
import { VERSIONS, versionsOf } from '../versions.js'
import { findInBuild, PAGE, withServer, WORKING_PAGE, ZOD } from './vite.js'

const SEEN = 'page, built'

/** Builds the page into `dist`, and checks it. */
async function tryBuild(
  context: Context,
  options: AppOptions,
  [command, ...args]: readonly [string, ...string[]],
): Promise<string> {
  const app = await makeApp(context, { copy: ['page'], ...options })
  await app.runTool(command, args)
  const found = findInBuild(join(app.folder, 'dist'), ZOD)
  if (found.length > 0) throw new Error(`The schema library is in ${found.join(', ')}`)
  await withServer(app, ['dist'], (url) => browse(url, WORKING_PAGE))
  return SEEN
}

const RSPACK_CONFIG = `import { rspack } from '@rspack/core'
export default {
  mode: 'production',
  entry: './src/main.tsx',
  output: { path: import.meta.dirname + '/dist' },
  resolve: { extensionAlias: { '.js': ['.tsx', '.js'] } },
  module: {
    rules: [
      {
        test: /\\.tsx$/,
        loader: 'builtin:swc-loader',
        options: {
          jsc: { parser: { syntax: 'typescript', tsx: true }, transform: { react: { runtime: 'automatic' } } },
        },
      },
    ],
  },
  plugins: [new rspack.HtmlRspackPlugin({ templateContent: '<link rel="icon" href="data:," />' })],
}
`

const PARCEL = ['parcel', 'build', 'index.html', '--no-cache'] as const
const PARCEL_OPTIONS = { dependencies: { ...PAGE, ...versionsOf('parcel') } }

export const bundlers: readonly Case[] = [
  {
    name: `Rspack ${VERSIONS['@rspack/core']}`,
    table: 'builds',
    run: (context) =>
      tryBuild(
        context,
        {
          dependencies: { ...PAGE, ...versionsOf('@rspack/core', '@rspack/cli') },
          files: { 'rspack.config.mjs': RSPACK_CONFIG },
        },
        ['rspack', 'build'],
      ),
  },
  {
    name: `Parcel ${VERSIONS.parcel} with \`packageExports\``,
    table: 'builds',
    run: (context) =>
      tryBuild(
        context,
        {
          ...PARCEL_OPTIONS,
          manifest: { type: 'module', '@parcel/resolver-default': { packageExports: true } },
        },
        PARCEL,
      ),
  },
  {
    name: `Parcel ${VERSIONS.parcel} as it comes`,
    table: 'builds',
    cannot: {
      reason: 'it reads no `exports`, so it finds no entry but the first. Set `packageExports`.',
      error: "Failed to resolve '@stagepass/react/",
    },
    run: (context) => tryBuild(context, PARCEL_OPTIONS, PARCEL),
  },
]
