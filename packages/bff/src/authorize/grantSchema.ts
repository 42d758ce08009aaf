import { MEETINGS_PARAMS, PRODUCT_NAMES, PRODUCTS, SESSION_ID_MAX_LENGTH } from '@stagepass/contract'
import { ACCOUNT_NAME } from '../settings/refuse.js'
import { MAX_MINUTES_PER_DAY, MAX_USER_LENGTH, WEIGHTS } from '../settings/Grant.js'

const MINUTES = { type: 'integer', minimum: 0, maximum: MAX_MINUTES_PER_DAY } as const

/** The grant as JSON, as the route of `fromUrl` answers it: a JSON Schema, draft 2020-12. */
export const GRANT_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Grant',
  description:
    'What a signed-in user may do. A route answers it with status 200, or 401 if nobody is signed in.',
  type: 'object',
  additionalProperties: false,
  required: ['user'],
  properties: {
    user: {
      description: 'A stable id of the user.',
      type: 'string',
      minLength: 1,
      maxLength: MAX_USER_LENGTH,
    },
    products: {
      description: 'Default: all.',
      type: 'array',
      items: { enum: [...PRODUCT_NAMES] },
    },
    maxTtlMinutes: {
      description: 'Longest life of a session token.',
      type: 'integer',
      minimum: PRODUCTS.stt.ttlMinutes.min,
    },
    sessionId: {
      description: 'Sent as metadata.session_id. Default: what the browser sends.',
      type: 'string',
      maxLength: SESSION_ID_MAX_LENGTH,
    },
    usage: {
      description: 'Counts the minutes of the user. Default: they are not counted.',
      type: 'object',
      additionalProperties: false,
      properties: {
        minutesPerDay: {
          description: 'For each product, or by product. Default: no limit.',
          anyOf: [
            MINUTES,
            {
              type: 'object',
              additionalProperties: false,
              properties: { stt: MINUTES, tts: MINUTES, viva: MINUTES, vt: MINUTES },
            },
          ],
        },
      },
    },
    meetings: {
      description: 'Without it the user sees no meetings.',
      type: 'object',
      additionalProperties: false,
      properties: {
        credential: {
          description: 'Bearer credential of the meetings interface. Default: the one of the server.',
          type: 'string',
          minLength: 1,
        },
        account: {
          description: 'Name of the account of the credential, if it is not the common one.',
          type: 'string',
          pattern: ACCOUNT_NAME.source,
        },
        ownership: {
          description: 'Forces the filter. Default: the browser chooses.',
          enum: [...MEETINGS_PARAMS.ownership.schema.enum],
        },
        fields: {
          description: 'The only fields beside id that the user may see. Default: all.',
          type: 'array',
          items: { type: 'string' },
        },
        weight: {
          description: "The user's share of the account's slots beside others that wait. Default 1.",
          type: 'number',
          minimum: WEIGHTS.min,
          maximum: WEIGHTS.max,
        },
      },
    },
  },
} as const
