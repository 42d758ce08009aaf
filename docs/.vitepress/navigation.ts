import { existsSync, readFileSync } from 'node:fs'
import type { DefaultTheme } from 'vitepress'
import { ITEM_NAMES } from '../../registry/build.js'
import { ITEMS } from '../../registry/items.js'
import { REPOSITORY_PAGES, ROOT } from './repositoryPages.js'

type Item = DefaultTheme.SidebarItem

interface Navigation {
  readonly nav: DefaultTheme.NavItem[]
  readonly sidebar: DefaultTheme.SidebarMulti
}

// Not collapsible: such a group is a button with a button in it, which a screen reader cannot tell apart.
const group = (text: string, items: readonly (readonly [text: string, link: string])[]): Item => ({
  text,
  items: items.map(([name, link]) => ({ text: name, link })),
})

const API = 'API reference'
const ALL_ENTRIES = ['All entries', '/api/'] as const

const inRepository = (folder: string): (readonly [string, string])[] =>
  REPOSITORY_PAGES.filter((page) => page.folder === folder).map(({ name }) => [name, `/${folder}/${name}`])

/** The entries of the API reference, as the generator lists them. */
function reference(): (readonly [string, string])[] {
  const list = `${ROOT}docs/api/typedoc-sidebar.json`
  if (!existsSync(list)) return []
  const entries = JSON.parse(readFileSync(list, 'utf8')) as { text: string; link: string }[]
  return entries.map(({ text, link }) => [text, link])
}

/** Every page of the site, in its group. */
export const pageGroups = (): Item[] => [
  group('Start', [
    ['What it is', '/'],
    ['Why not by hand', '/why'],
    ['Express', '/start/express'],
    ['Next.js', '/start/next'],
    ['React Native and Expo', '/start/native'],
    ['Any other language', '/start/any-backend'],
    ['An existing application', '/existing-app'],
    ['Playground', '/playground'],
  ]),
  group('Guides', [
    ['Your server', '/hosts'],
    ['Sign-in and users', '/users'],
    ['Captions, speech, translation', '/speech'],
    ['Microphone and loudspeaker', '/audio'],
    ['Streams', '/streams'],
    ['Minutes of a user', '/usage'],
    ['An assistant', '/assistant'],
    ['Testing', '/test-your-app'],
  ]),
  group('Components', [
    ['Overview', '/components/'],
    ...ITEM_NAMES.map((name) => [ITEMS[name].title, `/components/${name}`] as const),
  ]),
  group('Reference', [
    ['Errors', '/errors'],
    ["The service's contract", '/contract'],
    ['What the contract does not show', '/assumptions'],
  ]),
  group('Packages', inRepository('packages')),
  group(API, [ALL_ENTRIES, ...reference()]),
  group('Operate', [
    ['Many users and instances', '/scaling'],
    ['Observability and alerts', '/observability'],
    ['Security and the gate', '/security'],
    ['What is supported and stable', '/support'],
    ['Benchmarks', '/bench'],
  ]),
  group('Examples', inRepository('examples')),
  group('Contribute', [
    ['Architecture', '/architecture'],
    ['Glossary', '/glossary'],
    ['What the tests notice', '/testing'],
    ['Browsers', '/browsers'],
    ['Decisions', '/decisions/'],
    ...inRepository('project'),
  ]),
]

/**
 * Pages of packages have a list of their own. In the list of the others they would be a third of it, and a
 * page takes a third longer to start.
 */
function sidebar(): DefaultTheme.SidebarMulti {
  const all = pageGroups()
  const isOfPackages = ({ text = '' }: Item): boolean => ['Packages', API].includes(text)
  const ofPackages = [group('Documents', [['Get started', '/start/express']]), ...all.filter(isOfPackages)]
  const others = all
    .filter(({ text }) => text !== 'Packages')
    .map((one) => (one.text === API ? group(API, [['Every package', '/api/']]) : one))
  return { '/api/': ofPackages, '/packages/': ofPackages, '/': others }
}

export const navigation = (): Navigation => ({
  nav: [
    { text: 'Why', link: '/why' },
    { text: 'Get started', link: '/start/express' },
    { text: 'Components', link: '/components/' },
    { text: 'Playground', link: '/playground' },
    { text: 'Errors', link: '/errors' },
    { text: 'API', link: '/api/' },
  ],
  sidebar: sidebar(),
})
