import { rmSync } from 'node:fs'
import type { BffUser, Grant } from '@stagepass/bff'
import { type Stack, type StackOptions, startStack } from '@stagepass/testing'
import { programsOf, ROOT, writePrograms } from './programs.js'

const PAGE = 'packages/react/README.md'

/** Writes the three files of the section "On a server" of the React README. Returns their folder. */
export function writeServerExample(name: string): string {
  const folder = `${ROOT}.cache/${name}/`
  rmSync(folder, { recursive: true, force: true })
  const named = programsOf(PAGE).filter(({ file }) => /\/(App|server|browser)\.tsx$/.test(file))
  writePrograms(folder, named)
  return `${folder}packages_react_README_md/`
}

export interface ServerExample {
  readonly renderPage: (visitor: BffUser) => Promise<string>
}

export const importServerExample = (folder: string): Promise<ServerExample> =>
  import(/* @vite-ignore */ `${folder}server.tsx`) as Promise<ServerExample>

export const ADA = 'session=cookie-of-ada'
export const BOB = 'session=cookie-of-bob'

/** A stack with two visitors. `authorize` knows them by their cookie, and each has meetings of their own. */
export async function startVisitors(options: StackOptions = {}): Promise<Stack> {
  let grants: ReadonlyMap<string | undefined, Grant> = new Map()
  const stack = await startStack({
    ...options,
    bff: { authorize: (req) => grants.get(req.headers.cookie), meetings: { cacheMs: 0 } },
  })
  grants = grantsOn(stack)
  return stack
}

function grantsOn({ upstream }: Stack): ReadonlyMap<string | undefined, Grant> {
  const { main, other } = upstream.credentials
  return new Map([
    [ADA, { user: 'ada', meetings: { credential: main } }],
    [BOB, { user: 'bob', meetings: { credential: other } }],
  ])
}

/** A visitor on the server. One who is not known sees no meetings. */
export const visitorOf = (stack: Stack, cookie: string): BffUser =>
  stack.bff.as(grantsOn(stack).get(cookie) ?? { user: 'nobody' })

export interface Titled {
  readonly title: string | null
}

export const shownTitles = (meetings: readonly Titled[]): string[] =>
  meetings.map(({ title }) => title ?? 'Untitled')

/** The titles that the BFF lists for a visitor, with the filters of the example, as the page shows them. */
export async function titlesOf(stack: Stack, cookie: string): Promise<string[]> {
  const answer = await stack.fetch('/meetings?ownership=mine&fields=title', { headers: { cookie } })
  const { meetings } = (await answer.json()) as { meetings: Titled[] }
  return shownTitles(meetings)
}
