import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { DOCUMENT } from './document.js'

/* Writes docs/openapi.yaml for the site, which serves it. git does not keep it. */

export const openapiText = (): string => stringify(DOCUMENT, { lineWidth: 120, aliasDuplicateObjects: false })

if (process.argv[1] === import.meta.filename)
  writeFileSync(new URL('../openapi.yaml', import.meta.url), openapiText())
