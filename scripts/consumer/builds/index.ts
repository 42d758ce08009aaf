import type { Case } from '../Case.js'
import { basic } from './basic.js'

/** Every installer and every build, in the order of the table. */
export const BUILDS: readonly Case[] = [...basic]
