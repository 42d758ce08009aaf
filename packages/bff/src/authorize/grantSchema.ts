import { z } from 'zod'
import { GrantSchema } from '../settings/Grant.js'

/** The grant as JSON, as the route of `fromUrl` answers it: a JSON Schema, draft 2020-12. */
export const GRANT_SCHEMA = {
  title: 'Grant',
  description:
    'What a signed-in user may do. A route answers it with status 200, or 401 if nobody is signed in.',
  ...z.toJSONSchema(GrantSchema, {
    io: 'input',
    unrepresentable: 'any',
    // JSON has no functions, and the server may have a credential for all.
    override({ jsonSchema, path }) {
      if (path.at(-1) === 'credential') Object.assign(jsonSchema, { type: 'string', minLength: 1 })
      if (path.at(-1) === 'meetings') delete jsonSchema.required
    },
  }),
}
