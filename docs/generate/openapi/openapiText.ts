import { stringify } from 'yaml'
import { DOCUMENT } from './document.js'

/** docs/openapi.yaml, which the site serves. */
export const openapiText = (): string => stringify(DOCUMENT, { lineWidth: 120, aliasDuplicateObjects: false })
