import { existsSync, readFileSync } from 'node:fs'
import type { DefaultTheme } from 'vitepress'
import { itemNames } from '../../registry/build.js'
import { ITEMS } from '../../registry/items.js'
import { REPOSITORY_PAGES, ROOT } from './repositoryPages.js'

type Item = DefaultTheme.SidebarItem

interface Navigation {
  readonly nav: DefaultTheme.NavItem[]
  readonly sidebar: Item[]
}

// Not collapsible: such a group is a button with a button in it, which a screen reader cannot tell apart.
const group = (text: string, items: readonly (readonly [text: string, link: string])[]): Item => ({
  text,
  items: items.map(([name, link]) => ({ text: name, link })),
})

const inRepository = (folder: string): (readonly [string, string])[] =>
  REPOSITORY_PAGES.filter((page) => page.folder === folder).map(({ name }) => [name, `/${folder}/${name}`])

/** The entries of the API reference, as the generator lists them. */
function reference(): (readonly [string, string])[] {
  const list = `${ROOT}docs/api/typedoc-sidebar.json`
  if (!existsSync(list)) return []
  const entries = JSON.parse(readFileSync(list, 'utf8')) as { text: string; link: string }[]
  return entries.map(({ text, link }) => [text, link])
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
  sidebar: [
    group('Start', [
      ['What it is', '/'],
      ['Why not thirty lines', '/why'],
      ['Express', '/start/express'],
      ['Next.js', '/start/next'],
      ['Any other language', '/start/any-backend'],
      ['Playground', '/playground'],
    ]),
    group('Concepts', [
      ['Streams', '/streams'],
      ['The budget', '/concepts/budget'],
      ['Users', '/users'],
      ['Minutes', '/usage'],
    ]),
    group('Recipes', [
      ['An existing server', '/recipes/existing-server'],
      ['Sign-in', '/recipes/sign-in'],
      ['Options, in place', '/recipes/options'],
      ['Microphone', '/recipes/microphone'],
      ['Captions', '/recipes/captions'],
      ['Text to speech', '/recipes/speech'],
      ['Translation', '/recipes/translation'],
      ['Testing', '/recipes/testing'],
      ['Storybook', '/recipes/storybook'],
      ['A WebSocket of your own', '/recipes/own-websocket'],
    ]),
    group('Components', [
      ['Overview', '/components/'],
      ...itemNames().map((name) => [ITEMS[name].title, `/components/${name}`] as const),
    ]),
    group('Hosts and browsers', [
      ['Hosts and builds', '/hosts'],
      ['What is supported', '/support'],
      ['Browsers', '/browsers'],
      ['Audio', '/audio'],
    ]),
    group('Errors', [['Every code', '/errors']]),
    group('Operations', [
      ['Runbook', '/runbook'],
      ['Scaling', '/scaling'],
      ['Observability', '/observability'],
      ['Benchmarks', '/bench'],
    ]),
    group('Security', [
      ['Requirements', '/project/security'],
      ['The gate', '/gate'],
    ]),
    group('Packages', inRepository('packages')),
    group('API reference', [['All entries', '/api/'], ...reference()]),
    group('Examples', inRepository('examples')),
    group('The service', [
      ['What it promises', '/contract'],
      ['What the contract does not show', '/assumptions'],
    ]),
    group('The project', [
      ['Architecture', '/architecture'],
      ['Glossary', '/glossary'],
      ['What the tests notice', '/testing'],
      ['Decisions', '/decisions/'],
      ...inRepository('project').filter(([, link]) => link !== '/project/security'),
    ]),
  ],
})
