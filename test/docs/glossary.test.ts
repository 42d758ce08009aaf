import { expect, it } from 'vitest'
import { proseOf } from './markdown.js'
import { filesEndingIn, readText } from './repositoryFiles.js'

const GLOSSARY = 'docs/glossary.md'
const lines = proseOf(readText(GLOSSARY))
  .split('\n')
  .filter((line) => line.startsWith('- '))
const words = lines.map((line) => /^- \*\*([^*]+)\*\*/.exec(line)?.[1] ?? line)

/** Names that had several meanings, or that stood for a word of the glossary. `all` holds for every package. */
const BANNED: Readonly<Record<'all' | 'bff' | 'emulator' | 'react', string>> = {
  all: 'Call Ending Entry Exchange Exchanges Flight Pending Question World',
  bff: `CallEnded CallStage EffectiveQuery MeetingsCall Refresh SharedRead SharedReads Standing UpstreamCall WaitingRequest
    callUpstream createExchanges createSharedReads joinLine untilEnded withRepeats`,
  emulator: `Clock Distance Hearing OpenRecord Outlet Stalled Stream Strike Struck Surface
    createDistance createHearing encodeAnswer malformedAnswer printAside`,
  react: `Asking Bff BffRequest HostBoard Line Link MeetingsQuery Opening Outlet OutletStats Request StreamUser
    Trial Tries createOutlet createTrialRequest errorOfAnswer forgive meetingsQuery triesOf useSettledQuery`,
}

/** Packages whose sources already use the words of the glossary. */
const CHECKED: readonly string[] = ['bff', 'budget', 'contract', 'doctor', 'emulator', 'react', 'testing']

const namesIn = (list: string): string[] => list.split(/\s+/)

/** The banned names of a file. A file outside of these packages has those of `all`. */
function bannedIn(path: string): Set<string> {
  const ofPackage = Object.entries(BANNED).filter(([name]) => path.startsWith(`packages/${name}/`))
  return new Set([BANNED.all, ...ofPackage.map(([, list]) => list)].flatMap(namesIn))
}

/** Banned names that a source declares. A declaration is enough: a name that is not declared cannot be used. */
function declaredIn(path: string): string[] {
  const declared = readText(path).matchAll(/\b(?:class|const|function|interface|let|type) (\w+)/g)
  const banned = bannedIn(path)
  return [...declared].flatMap(([, name = '']) => (banned.has(name) ? [`${path}: ${name}`] : []))
}

/** Banned names in the code of a page. */
function shownIn(path: string): string[] {
  const banned = bannedIn(path)
  const code = [...readText(path).matchAll(/^```[\s\S]*?^```|`[^`\n]+`/gm)].join('\n')
  return [...code.matchAll(/\b[A-Za-z]\w*/g)].flatMap(([name]) =>
    banned.has(name) ? [`${path}: ${name}`] : [],
  )
}

it('the words of the glossary are unique and in alphabetical order', () => {
  expect(words.length).toBeGreaterThanOrEqual(80)
  const sorted = words.toSorted((a, b) => a.localeCompare(b, 'en', { sensitivity: 'base' }))
  expect(words).toEqual(sorted)
  expect(new Set(words.map((word) => word.toLowerCase())).size).toBe(words.length)
})

it('every line of the glossary is one word and its definition', () => {
  for (const line of lines) expect(line).toMatch(/^- \*\*[^*]+\*\*: \S.{10,}[.)]$/)
})

it('README and CONTRIBUTING link the glossary', () => {
  for (const page of ['README.md', 'CONTRIBUTING.md']) expect(readText(page)).toContain(`(${GLOSSARY})`)
})

it('the pages do not use banned names', () => {
  const pages = filesEndingIn(/\.md$/).filter((path) => path !== GLOSSARY)
  expect(pages.flatMap(shownIn)).toEqual([])
})

it('the sources of the checked packages do not declare banned names', () => {
  const sources = CHECKED.flatMap((name) => filesEndingIn(/\.tsx?$/, `packages/${name}/src/`))
  expect(sources.flatMap(declaredIn)).toEqual([])
})
