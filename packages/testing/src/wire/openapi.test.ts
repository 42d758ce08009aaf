import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { DOCUMENT } from '../../../../docs/generate/openapi/document.js'

interface Described {
  readonly components: { readonly schemas: { readonly SessionTokenRequest: object } }
  readonly paths: Readonly<
    Record<string, { readonly get: { readonly parameters: readonly { name?: string; schema: object }[] } }>
  >
}

const accepts = (schema: object) => new Ajv2020({ strict: false }).compile(schema)
// The cast: the type of the document says little.
const { components, paths } = DOCUMENT as unknown as Described

it('the description has the lifetimes of each product', () => {
  const isRequest = accepts(components.schemas.SessionTokenRequest)
  const lives = (usage_type: string, expiration_ttl: number) => isRequest({ usage_type, expiration_ttl })
  for (const product of ['stt', 'tts', 'viva']) {
    expect([lives(product, 5), lives(product, 300)]).toEqual([true, true])
    expect([lives(product, 4), lives(product, 301)]).toEqual([false, false])
  }
  expect([lives('vt', 301), lives('vt', 1_440), lives('vt', 1_441)]).toEqual([true, true, false])
})

it('the description has the names of `fields`', () => {
  const fields = paths['/meetings']?.get.parameters.find(({ name }) => name === 'fields')
  const isList = accepts(fields?.schema ?? {})
  expect([isList(['title', 'tags']), isList(['nope'])]).toEqual([true, false])
})
