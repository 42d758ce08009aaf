import type { Case } from '../Case.js'
import { bundlers } from './bundlers.js'
import { install } from './install.js'
import { modules } from './modules.js'
import { next } from './next.js'
import { tests } from './tests.js'
import { types } from './types.js'
import { vite } from './vite.js'

/** Every installer and every build, in the order of the table. */
export const BUILDS: readonly Case[] = [
  ...install,
  ...types,
  ...modules,
  ...tests,
  ...vite,
  ...bundlers,
  ...next,
]
