import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  Application,
  DeclarationReflection,
  LogLevel,
  type ProjectReflection,
  ReferenceReflection,
  ReflectionKind,
  type TypeDocOptions,
} from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'
import { PACKAGES } from '../../scripts/packages.js'
import { fragmentOf } from './markdown.js'
import { ROOT } from './repositoryPages.js'

/*
 * Writes docs/api/, the reference of every public entry, from the docstrings. It fails if an exported symbol
 * has no docstring, or if a docstring links a name that does not exist.
 */

const OUT = `${ROOT}docs/api`

type Source = string | Readonly<Record<string, string>>

/** The source of each public entry, by the name under which it is imported. */
function publicEntries(): Map<string, string> {
  const entries = new Map<string, string>()
  for (const name of PACKAGES) {
    const folder = `${ROOT}packages/${name}/`
    const { exports } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as {
      exports: Record<string, string | Record<string, Source>>
    }
    for (const [path, target] of Object.entries(exports)) {
      const given = typeof target === 'string' ? undefined : target['@stagepass/source']
      // If each runtime has its own file, all of them export the same names.
      const source = typeof given === 'object' ? given['default'] : given
      if (source && /\.tsx?$/.test(source))
        entries.set(`@stagepass/${name}${path.slice(1)}`, folder + source.slice('./'.length))
    }
  }
  return entries
}

/** A function has its docstring at its signature, and a symbol of another package has it there. */
function isDocumented(symbol: DeclarationReflection): boolean {
  const target = symbol instanceof ReferenceReflection ? symbol.getTargetReflectionDeep() : symbol
  const signatures = target instanceof DeclarationReflection ? (target.signatures ?? []) : []
  return [symbol, target, ...signatures].some((one) => one.hasComment())
}

function undocumentedIn(project: ProjectReflection): string[] {
  return project.getChildrenByKind(ReflectionKind.Module).flatMap(({ name, children = [] }) => {
    // A schema and the type that is inferred from it have one name, and one docstring.
    const documented = new Set(children.filter(isDocumented).map((symbol) => symbol.name))
    return children
      .filter((symbol) => !documented.has(symbol.name))
      .map((symbol) => `${name}: ${symbol.name}`)
  })
}

/** The fragments of a generated page. */
function fragmentsOf(page: string): Set<string> {
  const counts = new Map<string, number>()
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const fragment = fragmentOf(heading)
    const count = counts.get(fragment) ?? 0
    counts.set(fragment, count + 1)
    return count === 0 ? fragment : `${fragment}-${count}`
  })
  return new Set([...headings, ...[...page.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)])
}

/**
 * The generator counts `Bff.gauge` and `BffGauge` as one name, and links the second as `#bffgauge-1`; and it
 * links `A_NAME` as `#a-name`. No heading of the page has these fragments.
 */
function mendFragments(): void {
  const files = readdirSync(OUT, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'))
  const read = (file: string): string => readFileSync(join(OUT, file), 'utf8')
  const fragments = new Map(files.map((file) => [file, fragmentsOf(read(file))]))
  for (const file of files) {
    const mended = read(file).replaceAll(/\]\(([^)#]*)#([\w-]+)\)/g, (link, path: string, name: string) => {
      const known = fragments.get(path === '' ? file : join(dirname(file), path))
      if (!known || known.has(name)) return link
      const meant = [name.replace(/-1$/, ''), name.replaceAll('-', '_')].find((other) => known.has(other))
      return meant === undefined ? link : `](${path}#${meant})`
    })
    writeFileSync(join(OUT, file), mended)
  }
}

/** The page that explains an entry, if it is not the README of its package. */
const GUIDES: Readonly<Record<string, string>> = {
  '@stagepass/bff/authorize': '/users',
  '@stagepass/bff/fetch': '/hosts',
  '@stagepass/bff/otel': '/observability',
  '@stagepass/react/audio': '/audio',
  '@stagepass/react/codecs': '/streams',
  '@stagepass/react/testing': '/test-your-app',
  '@stagepass/react/transcript': '/speech',
}

/** Puts a link to the guide below the heading of each entry's page. */
function linkGuides(): void {
  const files = readdirSync(OUT, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'))
  for (const file of files) {
    const page = readFileSync(join(OUT, file), 'utf8')
    const [heading = '', entry = ''] = /^# (@stagepass\/\S+)\n/.exec(page) ?? []
    const guide = GUIDES[entry] ?? `/packages/${entry.split('/')[1]}`
    if (entry) writeFileSync(join(OUT, file), page.replace(heading, `${heading}\n[Guide](${guide})\n`))
  }
}

const entries = publicEntries()
const options: Partial<TypeDocOptions & PluginOptions> & { docsRoot: string } = {
  entryPoints: [...entries.values()],
  tsconfig: `${ROOT}tsconfig.json`,
  basePath: ROOT,
  // A copy of the repository may have no remote, or no history. The pages link no source.
  disableGit: true,
  sourceLinkTemplate: '{path}',
  // Our own compiler checks the types.
  skipErrorChecking: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  readme: 'none',
  logLevel: LogLevel.Warn,
  validation: { notExported: false, invalidLink: true },
  treatWarningsAsErrors: true,
  plugin: ['typedoc-plugin-markdown', 'typedoc-vitepress-theme'],
  router: 'module',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandParameters: true,
  groupOrder: ['Functions', 'Classes', 'Variables', 'Interfaces', 'Type Aliases'],
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
  indexFormat: 'table',
  docsRoot: `${ROOT}docs`,
  out: OUT,
}
const app = await Application.bootstrapWithPlugins(options)
const project = await app.convert()
if (!project) throw new Error('Failed to read the sources: see above.')

for (const entry of project.getChildrenByKind(ReflectionKind.Module)) {
  const source = entry.sources?.[0]?.fullFileName
  entry.name = [...entries].find(([, file]) => file === source)?.[0] ?? entry.name
}
app.validate(project)
const undocumented = undocumentedIn(project)
if (undocumented.length > 0)
  console.error(`Failed to find a docstring for each export:\n  ${undocumented.join('\n  ')}`)

// The lines of our files are no use to a reader of the site.
app.options.setValue('disableSources', true)
rmSync(OUT, { recursive: true, force: true })
await app.generateOutputs(project)
mendFragments()
linkGuides()
const index = readFileSync(`${OUT}/index.md`, 'utf8')
writeFileSync(`${OUT}/index.md`, index.replace(/^# .*$/m, '# API reference'))
process.exitCode = app.logger.hasErrors() || app.logger.hasWarnings() || undocumented.length > 0 ? 1 : 0
