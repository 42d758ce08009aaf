import { writeFileSync } from 'node:fs'
import { CREATE_COMMAND, withCreateCommand } from './createCommand.js'
import { openapiText } from './openapi/openapiText.js'
import { TABLES, withTables } from './params.js'

/*
 * `npm run write -w @stagepass/docs` writes what is made of types, tables and comments: docs/errors.md, the
 * tables and lists of some pages, and how to get the packages, which git keeps for readers of the
 * repository, and docs/openapi.yaml, which it does not keep. A test fails if a page is not up to date.
 */

// Only development builds have the hints of the errors. A machine that builds the site may say production.
process.env.NODE_ENV = 'development'
const { ERRORS_PAGE, errorsText } = await import('./errorsPage.js')

const root = new URL('../../', import.meta.url)

writeFileSync(new URL(ERRORS_PAGE, root), await errorsText())
for (const page of Object.keys(TABLES)) writeFileSync(new URL(page, root), withTables(page))
for (const page of Object.keys(CREATE_COMMAND) as (keyof typeof CREATE_COMMAND)[])
  writeFileSync(new URL(page, root), withCreateCommand(page))
writeFileSync(new URL('docs/openapi.yaml', root), openapiText())
