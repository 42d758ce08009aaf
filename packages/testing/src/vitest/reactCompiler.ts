import { type BabelFileResult, transformAsync } from '@babel/core'
import type { Plugin } from 'vite'

/**
 * Compiles the components of the tests and the hooks with React Compiler, as in an application that uses it.
 */
export const reactCompiler = (): Plugin => ({
  name: 'react-compiler',
  enforce: 'pre',
  config: () => ({ optimizeDeps: { include: ['react/compiler-runtime'] } }),
  transform: {
    filter: { id: /\/packages\/react\/src\/[^?]*\.tsx?($|\?)/ },
    handler: async (code, id) => {
      const { code: compiled, map } = await compile(code, id)
      return { code: compiled ?? '', map: map ?? null }
    },
  },
})

/**
 * Compiles one file with React Compiler. Types and JSX stay unchanged. If a component or hook cannot be
 * compiled, `all_errors` rejects, and `none` leaves it unchanged.
 */
export async function compile(
  code: string,
  filename: string,
  panicThreshold: 'none' | 'all_errors' = 'none',
): Promise<BabelFileResult> {
  const result = await transformAsync(code, {
    filename,
    configFile: false,
    babelrc: false,
    sourceMaps: true,
    parserOpts: { plugins: ['typescript', 'jsx'] },
    plugins: [['babel-plugin-react-compiler', { panicThreshold }]],
  })
  return result ?? {}
}
