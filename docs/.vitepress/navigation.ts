import { readdirSync } from 'node:fs'
import type { DefaultTheme } from 'vitepress'
import { ITEM_NAMES } from '../../registry/build.js'
import { ITEMS } from '../../registry/items.js'
import { SITE, PAGES } from './pages.js'

type Link = readonly [text: string, link: string]

const group = (text: string, links: readonly Link[]) => ({
  text,
  items: links.map(([name, link]) => ({ text: name, link })),
})

const pagesIn = (folder: string): Link[] =>
  PAGES.map(({ path }) => path.slice(0, -'.md'.length))
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => [path.slice(folder.length + 1), `/${path}`])

const entries = readdirSync(`${SITE}api`, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md') && file !== 'index.md')
  .map((file) => file.slice(0, -'.md'.length))
  .toSorted()

/** Every page of the site, in its group. */
export const groups = [
  group('Start', [
    ['What it is', '/'],
    ['Why not by hand', '/why'],
    ['Compared with others', '/compare'],
    ['Express', '/start/express'],
    ['Next.js', '/start/next'],
    ['React Native and Expo', '/start/native'],
    ['Any other language', '/start/any-backend'],
    ['An existing application', '/existing-app'],
    ['Playground', '/playground'],
  ]),
  group('From elsewhere', [
    ['A token route of your own', '/from/own-token-route'],
    ['react-use-websocket', '/from/use-websocket'],
    ['Soniox', '/from/soniox'],
    ['Deepgram', '/from/deepgram'],
    ['ElevenLabs', '/from/elevenlabs'],
  ]),
  group('Guides', [
    ['Your server', '/hosts'],
    ['Sign-in and users', '/users'],
    ['Logins by a provider', '/logins'],
    ['Captions, speech, translation', '/speech'],
    ['Two languages side by side', '/languages'],
    ['Voice isolation for a call', '/isolation'],
    ['Microphone and loudspeaker', '/audio'],
    ['Streams', '/streams'],
    ['Minutes of a user', '/usage'],
    ['Another service', '/other-services'],
    ['An assistant', '/assistant'],
    ['Testing', '/test-your-app'],
  ]),
  group('Components', [
    ['Overview', '/components/'],
    ...ITEM_NAMES.map((name): Link => [ITEMS[name].title, `/components/${name}`]),
  ]),
  group('Reference', [
    ['Errors', '/errors'],
    ["The service's contract", '/contract'],
    ['What the contract does not show', '/assumptions'],
  ]),
  group('Packages', pagesIn('packages')),
  group('API reference', [['All entries', '/api/'], ...entries.map((name): Link => [name, `/api/${name}`])]),
  group('Operate', [
    ['Many users and instances', '/scaling'],
    ['Customers', '/customers'],
    ['What your users feel', '/vitals'],
    ['Simultaneous sessions', '/sessions'],
    ['Observability and alerts', '/observability'],
    ['Security and the gate', '/security'],
    ['What is supported and stable', '/support'],
    ['Benchmarks', '/bench'],
  ]),
  group('Examples', pagesIn('examples')),
  group('Contribute', [
    ['Architecture', '/architecture'],
    ['Decisions', '/decisions/'],
    ...pagesIn('project'),
  ]),
]

/** Pages of packages have a list of their own, which would be a third of the list of the others. */
const isOfPackages = ({ text }: { text: string }): boolean => ['Packages', 'API reference'].includes(text)
const ofPackages = groups.filter(isOfPackages)

export const navigation: Pick<DefaultTheme.Config, 'nav' | 'sidebar'> = {
  nav: [
    { text: 'Why', link: '/why' },
    { text: 'Get started', link: '/start/express' },
    { text: 'Components', link: '/components/' },
    { text: 'Playground', link: '/playground' },
    { text: 'Errors', link: '/errors' },
    { text: 'API', link: '/api/' },
  ],
  sidebar: {
    '/api/': ofPackages,
    '/packages/': ofPackages,
    '/': groups.filter((one) => !isOfPackages(one)),
  },
}
