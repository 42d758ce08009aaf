import { type BabelFileResult, transformAsync } from '@babel/core'
import type { Plugin } from 'vite'

/** The tests of @stagepass/react in an application with React Compiler: their components and the hooks. */
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
 * One file by React Compiler. Types and JSX stay as they are. With `all_errors` it rejects if a component or
 * hook cannot be compiled; else that stays as it is.
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
