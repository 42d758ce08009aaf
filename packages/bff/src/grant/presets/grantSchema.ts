import { z } from 'zod'
import { GrantSchema } from '../Grant.js'

/** JSON Schema (draft 2020-12) of the grant that the route of `fromUrl` returns. */
export const GRANT_SCHEMA = {
  title: 'Grant',
  description:
    'The rights of a signed-in user. A route returns it with status 200, or returns 401 if nobody is signed in.',
  ...z.toJSONSchema(GrantSchema, {
    io: 'input',
    unrepresentable: 'any',
    // In JSON a secret cannot be a function. A credential is optional, because the server may have one for all
    // users.
    override({ jsonSchema, path }) {
      if (path.at(-1) === 'credential' || path.at(-1) === 'apiKey')
        Object.assign(jsonSchema, { type: 'string', minLength: 1 })
      if (path.at(-1) === 'meetings') delete jsonSchema.required
    },
  }),
}
