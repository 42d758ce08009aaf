import { readFileSync } from 'node:fs'

/* The API reference of every public entry, from the docstrings: `typedoc` in this folder writes docs/api. */

const PACKAGES = ['contract', 'budget', 'emulator', 'bff', 'audio', 'react', 'doctor', 'server']

/** Sources of the entries of a package. If each runtime has its own file, all of them export the same names. */
function entriesOf(name) {
  const { exports } = JSON.parse(readFileSync(new URL(`../packages/${name}/package.json`, import.meta.url)))
  return (
    Object.values(exports)
      .map((entry) => entry['@stagepass/source'])
      .map((source) => source?.default ?? source)
      .filter((source) => /\.tsx?$/.test(source))
      .map((source) => `../packages/${name}/${source}`)
      // The page of `bff/authorize` before the type `Authorize` of `bff` takes its name.
      .toReversed()
  )
}

/** @type {import('typedoc').TypeDocOptions & import('typedoc-plugin-markdown').PluginOptions} */
export default {
  name: 'API reference',
  sortEntryPoints: false,
  entryPoints: PACKAGES.flatMap(entriesOf),
  tsconfig: '../tsconfig.json',
  out: '.site/api',
  entryFileName: 'index.md',
  plugin: ['typedoc-plugin-markdown', 'typedoc-plugin-missing-exports'],
  // The members of types that no entry exports, such as those of the result of a hook.
  placeInternalsInOwningModule: true,
  router: 'module',
  readme: 'none',
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  // Our own compiler checks the types.
  skipErrorChecking: true,
  validation: { notExported: false, invalidLink: true },
  treatWarningsAsErrors: true,
  groupOrder: ['Functions', 'Classes', 'Variables', 'Interfaces', 'Type Aliases'],
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useHTMLAnchors: true,
  expandParameters: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
  indexFormat: 'table',
}
