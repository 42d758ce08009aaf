import { readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { UsageError } from './UsageError.js'

/** Where the application is created. */
export interface Folder {
  /** As it was typed. */
  readonly text: string
  readonly path: string
  /** Name of the package. */
  readonly name: string
}

const NAME = /^(?!node_modules$)[a-z\d][a-z\d._~-]{0,213}$/

/** A folder with a new repository and nothing else counts as empty. */
export const entriesOf = (path: string): string[] => readdirSync(path).filter((entry) => entry !== '.git')

/** A name that npm takes, for one that it does not take. */
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
  if (!NAME.test(name)) fail(`no package can have the name "${name}". Try "${suggest(name)}".`)
  try {
    if (entriesOf(path).length > 0) fail('the folder is not empty. Give another folder.')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof UsageError) throw error
    if (code !== 'ENOENT') fail(`${message}. Give another folder.`)
  }
  return { text, path, name }
}
