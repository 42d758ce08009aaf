import { SESSION_ID_MAX_LENGTH } from '../service/limits.js'
import { MEETING_FIELDS } from '../service/meetingFields.js'
import { MEETINGS_PARAMS, type ParamSchema } from '../service/meetingsParams.js'
import { DEFAULT_TTL_MINUTES, PRODUCT_NAMES, PRODUCTS } from '../service/products.js'

/**
 * What each part of a request to the BFF must be, for the hint of VALIDATION_ERROR, made of the tables of the
 * limits. A function, so that the bundle of a page in production leaves it out.
 */
export function requestRules(): Readonly<Record<string, string>> {
  const { cursor, from, tags, fields, ...others } = MEETINGS_PARAMS
  return {
    usage_type: `one of ${PRODUCT_NAMES.join(', ')}`,
    expiration_ttl: `a whole number of minutes (${minutesOfProducts()}). Leave it out for ${DEFAULT_TTL_MINUTES}`,
    session_id: `a text of at most ${SESSION_ID_MAX_LENGTH} characters`,
    session_key: 'the `session_key` of the token response, unchanged',
    ...Object.fromEntries(Object.values(others).map(({ name, schema }) => [name, ruleOfSchema(schema)])),
    [cursor.name]:
      'the `next_cursor` of the page before, unchanged. It may have expired: then load the list again from its start',
    [from.name]: `${ruleOfSchema(from.schema)}, and not after \`to\``,
    [tags.name]: `at most ${tags.schema.maxItems} tag ids of \`GET /tags\`, with commas between them`,
    [fields.name]: `names of the contract (${MEETING_FIELDS.join(', ')}) or of \`meetings.wire.extraFields\`, with commas between them`,
    id: 'the `id` of the list, percent-encoded once. It may not be too long, nor hold `/`, `\\`, `?`, `#`, a control character or a dot segment, even after a second decoding',
    receipt: 'the `usage_receipt` of a token response for this user and product',
    used_ms: 'a number of milliseconds from 0',
    replaces: 'the `receipt` and `used_ms` of a token, as in `POST /usage`',
    body: 'a JSON object',
  }
}

/** The bounds of `expiration_ttl`. Products with the same bounds stand together. */
function minutesOfProducts(): string {
  const names = new Map<string, string[]>()
  for (const [name, { ttlMinutes }] of Object.entries(PRODUCTS)) {
    const range = `from ${ttlMinutes.min} to ${ttlMinutes.max}`
    names.set(range, [...(names.get(range) ?? []), name])
  }
  return [...names].map(([range, products]) => `${products.join(', ')}: ${range}`).join('; ')
}

function ruleOfSchema(schema: ParamSchema): string {
  if ('enum' in schema) return `one of ${schema.enum.join(', ')}`
  if ('minimum' in schema) return `a whole number from ${schema.minimum} to ${schema.maximum}`
  if ('maxLength' in schema) return `a text of at most ${schema.maxLength} characters`
  if ('maxItems' in schema) return `a list of at most ${schema.maxItems} items`
  return 'a date or a time with a zone in ISO 8601, such as 2026-01-31T09:00:00Z'
}
