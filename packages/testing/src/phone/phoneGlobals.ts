import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

/** Globals that React Native has of its own, or that it has not. */
const GLOBALS = [
  'AbortController',
  'AbortSignal',
  'Blob',
  'document',
  'DOMException',
  'fetch',
  'location',
  'navigator',
  'URL',
  'URLSearchParams',
  'WebSocket',
  'window',
]

const PHONE = fileURLToPath(new URL('phone.ts', import.meta.url))
/** What an application bundles. Tests, BFF and emulator have the globals of Node. */
const BUNDLED = /\/packages\/(?:react|audio|contract)\/src\/|\/node_modules\/@tanstack\//
const TESTS = /\.test\./

/** Gives the modules that an application bundles the global object of a phone. */
export const phoneGlobals = (): Plugin => ({
  name: 'phone-globals',
  enforce: 'post',
  transform: {
    filter: { id: { include: BUNDLED, exclude: TESTS } },
    handler: (code) => {
      const used = GLOBALS.filter((name) => new RegExp(`\\b${name}\\b`).test(code))
      const banner = `import { phone as globalThis } from '${PHONE}'; const { ${used.join(', ')} } = globalThis;`
      return { code: `${banner}${code}`, map: null }
    },
  },
})
