import { transformAsync } from '@babel/core'
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
    handler: async (code, filename) => {
      // Types and JSX stay unchanged. The linter says if a component or hook cannot be compiled.
      const result = await transformAsync(code, {
        filename,
        configFile: false,
        babelrc: false,
        sourceMaps: true,
        parserOpts: { plugins: ['typescript', 'jsx'] },
        plugins: ['babel-plugin-react-compiler'],
      })
      return { code: result?.code ?? '', map: result?.map ?? null }
    },
  },
})
