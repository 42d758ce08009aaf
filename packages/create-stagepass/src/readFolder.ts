import { readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { UsageError } from './UsageError.js'

/** The folder in which the application is created. */
export interface Folder {
  /** The user's text. */
  readonly text: string
  readonly path: string
  /** Name of the package. */
  readonly name: string
}

const NAME = /^(?!node_modules$)[a-z\d][a-z\d._~-]{0,213}$/

/** The entries of a folder. A folder with only a new repository counts as empty. */
export const entriesOf = (path: string): string[] => readdirSync(path).filter((entry) => entry !== '.git')

/** Converts an invalid name to one that npm accepts. */
const suggest = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z\d._~-]+/g, '-')
    .replaceAll(/^[^a-z\d]+|-+$/g, '')
    .replace(/^(?:node_modules)?$/, 'my-app')

/** Throws `UsageError` if no application can be created there. */
export function readFolder(text: string): Folder {
  const path = resolve(text)
  const name = basename(path)
  const fail = (reason: string): never => {
    throw new UsageError(`Failed to create an application in "${text}": ${reason}`)
  }
  if (!NAME.test(name)) fail(`"${name}" is not a valid name for a package. Try "${suggest(name)}".`)
  try {
    if (entriesOf(path).length > 0) fail('the folder is not empty. Use another folder.')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof UsageError) throw error
    if (code !== 'ENOENT') fail(`${message}. Use another folder.`)
  }
  return { text, path, name }
}
