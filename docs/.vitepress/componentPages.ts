import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import {
  exampleOf,
  filesOf,
  ITEM_NAMES,
  partsOf,
  readItem,
  readItemFile,
  TARGET,
  VERSION,
} from '../../registry/build.js'
import { ITEMS, type ItemName } from '../../registry/items.js'
import { IS_PUBLISHED } from '../../scripts/packages.js'

/* The pages of the registry: its README with the list of the components, and one page for each of them. */

/** The address of the site: DOCS_ORIGIN=https://docs.example.com. */
const SITE = `${process.env.DOCS_ORIGIN ?? 'https://<this site>'}${process.env.DOCS_BASE ?? '/'}`

const STORIES = fileURLToPath(new URL('../../registry/stories/', import.meta.url))

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\`\`\``

const linkOf = (name: ItemName): string => `[${ITEMS[name].title}](/components/${name})`

/** The README, with the list after its first paragraph. */
export function overviewPage(readme: string): string {
  const list = ITEM_NAMES.map((name) => `- ${linkOf(name)}: ${ITEMS[name].description}`)
  return readme.replace('\n## ', `\n## The components\n\n${list.join('\n')}\n\n## `)
}

interface Property {
  readonly name: string
  readonly type: string
  readonly text: string
}

/** `usage-meter`: `UsageMeter`. */
const componentOf = (name: ItemName): string =>
  name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** The properties of the component, with their comments. */
function propertiesOf(name: ItemName): Property[] {
  const file = ts.createSourceFile('item.tsx', readItem(name, 'tsx'), ts.ScriptTarget.Latest, true)
  const props = file.statements.find(
    (statement) =>
      ts.isInterfaceDeclaration(statement) && statement.name.text === `${componentOf(name)}Props`,
  )
  if (!props || !ts.isInterfaceDeclaration(props))
    throw new Error(`Failed to find the interface ${componentOf(name)}Props in registry/items/${name}.tsx.`)
  return props.members.filter(ts.isPropertySignature).map((member) => {
    const comment = ts.getJSDocCommentsAndTags(member).map((doc) => ts.getTextOfJSDocComment(doc.comment))
    const type = member.type?.getText() ?? ''
    return {
      name: member.name.getText() + (member.questionToken ? '?' : ''),
      // A question mark says it already.
      type: member.questionToken ? type.replace(/^(\()?(.*?)(\))? \| undefined$/s, '$2') : type,
      text: comment.join(' '),
    }
  })
}

/** One line of a table. */
const row = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll(/\s+/g, ' ').replaceAll('|', String.raw`\|`)).join(' | ')} |`

const table = (head: readonly string[], rows: readonly string[][]): string =>
  [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells))].join('\n')

function propertiesPart(name: ItemName): string {
  const properties = propertiesOf(name)
  if (properties.length === 0) return 'It has none.'
  return table(
    ['property', 'what'],
    properties.map(({ name, type, text }) => [`\`${name}: ${type}\``, text]),
  )
}

function keysPart(name: ItemName): string {
  const { keys } = ITEMS[name] as { readonly keys?: Readonly<Record<string, string>> }
  if (!keys) return 'There is nothing to press in it.'
  return table(
    ['key', 'what it does'],
    Object.entries(keys).map(([key, what]) => [key, what]),
  )
}

const codeOf = (file: string): string =>
  `::: details ${file}\n\n${fence(file.split('.')[1] ?? '', readItemFile(file))}\n\n:::`

/** Names of the stories, in the order in which they are written. */
const storiesOf = (name: ItemName): string[] =>
  [...readFileSync(`${STORIES}${name}.stories.tsx`, 'utf8').matchAll(/^export const (\w+): Story\b/gm)].map(
    ([, story = '']) => story,
  )

/** The page of a component: live stories, the line that adds it, the code, and the properties. */
export function componentPage(name: ItemName): string {
  const { title, description } = ITEMS[name]
  const others = partsOf(name).slice(1)
  return [
    `# ${title}`,
    description,
    '## Try it',
    'It runs in this page, on an emulator of the service. Choose a state to see it.',
    `<Live part="components" name="${[name, ...storiesOf(name)].join(' ')}" />`,
    '## Add it',
    fence('sh', `npx shadcn@latest add ${SITE}r/${VERSION}/${name}.json\n`),
    `It copies the files into \`${TARGET}\`, and installs \`@stagepass/react\`. Your version of \`@tanstack/react-query\` stays. Or copy the files from here.${IS_PUBLISHED ? '' : ' Before the first release only this works, because npm does not have `@stagepass/react` yet.'}`,
    ...(others.length > 0
      ? [`It is made of others, which come with it: ${others.map(linkOf).join(', ')}.`]
      : []),
    ...filesOf(name).map(codeOf),
    `What is at an address never changes: a newer version has others. [digests.json](/r/${VERSION}/digests.json) has the SHA-256 of each.`,
    '## Use it',
    'Below a [`<VoiceProvider>`](/packages/react), with a server that has [`@stagepass/bff`](/packages/bff):',
    fence('tsx', exampleOf(name, `./${TARGET}/`)),
    '## Properties',
    propertiesPart(name),
    '[Its colours](/components/#colours) are custom properties.',
    '## Keys',
    others.length > 0 ? `Those of ${others.map(linkOf).join(', ')}.` : keysPart(name),
    '',
  ].join('\n\n')
}
