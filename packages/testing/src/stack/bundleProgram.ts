import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, defaultServerConditions } from 'vite'

/**
 * Bundles a program, so that it starts without a compiler. Returns the file to run.
 *
 * @param name Name of a folder. Programs that are bundled at the same time need different folders.
 */
export async function bundleProgram(entry: URL, name: string): Promise<string> {
  // Inside the repository, so that Node finds the packages that are not bundled.
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
