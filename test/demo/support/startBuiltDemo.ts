import { inject } from 'vitest'
import type { RunningDemo } from './startDemo.js'
import { startDemo } from './startDemo.js'

/** A preview of the page that was built for all files. A dev server would compile every module, and a page load fetch each of them. */
export const startBuiltDemo = (env: Readonly<Record<string, string>> = {}): Promise<RunningDemo> =>
  startDemo({ command: 'preview', env, args: ['--outDir', `../../${inject('demo').outDir}`] })
