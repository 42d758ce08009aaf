import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, defaultServerConditions } from 'vite'

/**
 * Bundles a program, so that a start of it costs no compiler. Returns the file to run.
 *
 * @param name of a folder: programs that are bundled at the same time have one each
 */
export async function bundleProgram(entry: URL, name: string): Promise<string> {
  // Inside the repository, where Node finds the packages that stay outside of the bundle.
  const outDir = resolve('.cache/programs', name)
  const file = `${basename(entry.pathname, '.ts')}.mjs`
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: {
      resolve: { conditions: ['@stagepass/source', ...defaultServerConditions] },
      noExternal: [/^@stagepass\//],
    },
    build: {
      ssr: fileURLToPath(entry),
      outDir,
      rolldownOptions: { output: { entryFileNames: file } },
    },
  })
  return `${outDir}/${file}`
}
