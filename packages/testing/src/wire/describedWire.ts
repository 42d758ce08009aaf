import addFormats from 'ajv-formats'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { DOCUMENT } from '../../../../docs/generate/openapi/document.js'

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Responses }>>>>
}
type Responses = Readonly<Record<string, { readonly content: Readonly<Record<string, unknown>> }>>

interface Answer {
  readonly method: string
  /** Path below the mount path, with its query. */
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** The OpenAPI description, from which users generate clients. Every response of the BFF must match it. */
export interface DescribedWire {
  /** Describes how a response differs from the description. `undefined` if it does not. */
  violationOf(answer: Answer): string | undefined
}

/**
 * For responses without a route: those of the gate, of `authorize`, to an unknown path or a wrong method.
 * They are problems like all others.
 */
const ANY_PROBLEM = '#/components/schemas/Problem'

let read: DescribedWire | undefined

/** Compiled once per process. */
export function describedWire(): DescribedWire {
  // As users read it, without what JSON does not have.
  read ??= readWire(JSON.parse(JSON.stringify(DOCUMENT)) as Described)
  return read
}

function readWire(document: Described): DescribedWire {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'wire')
  const compiled = new Map<string, ValidateFunction>()
  const validatorOf = (pointer: string): ValidateFunction => {
    const found = compiled.get(pointer) ?? ajv.compile({ $ref: `wire${pointer}` })
    compiled.set(pointer, found)
    return found
  }

  const pointerOf = ({ method, path, status }: Answer, type: string): string | undefined => {
    const template = templateOf(path.split('?')[0] ?? '', document)
    const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()]
    if (template === undefined || operation === undefined) return status >= 400 ? ANY_PROBLEM : undefined
    if (operation.responses[status]?.content[type] === undefined) return undefined
    const keys = [
      'paths',
      template,
      method.toLowerCase(),
      'responses',
      String(status),
      'content',
      type,
      'schema',
    ]
    return `#/${keys.map(escapePointer).join('/')}`
  }

  return {
    violationOf(answer) {
      const { method, path, status, headers, body } = answer
      const type = String(headers['content-type']).split(';')[0] ?? ''
      const what = `${method} ${path} answered ${status} ${type}`
      const pointer = pointerOf(answer, type)
      if (pointer === undefined) return `${what}, which is not described.`
      const validate = validatorOf(pointer)
      if (validate(JSON.parse(body))) return undefined
      return `${what}: ${ajv.errorsText(validate.errors)}. The body: ${body.slice(0, 500)}`
    },
  }
}

function templateOf(path: string, { paths }: Described): string | undefined {
  return Object.keys(paths).find((template) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
}

const escapePointer = (key: string): string =>
  encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
