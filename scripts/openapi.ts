import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { DOCUMENT } from './openapi/document.js'

/* Writes docs/openapi.yaml: `npx tsx scripts/openapi.ts`. A test fails if the page is not up to date. */

const HEAD =
  '# Written by scripts/openapi.ts from the schemas and tables of @stagepass/contract. Do not edit.\n'

export const OPENAPI_PAGE = 'docs/openapi.yaml'

/** The same text for the same document, on every machine. */
export const openapiText = (): string =>
  HEAD + stringify(DOCUMENT, { lineWidth: 120, aliasDuplicateObjects: false })

if (process.argv[1]?.endsWith('openapi.ts')) writeFileSync(OPENAPI_PAGE, openapiText())
