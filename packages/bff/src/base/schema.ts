import { unknownKey } from '@stagepass/contract'
import { z } from 'zod'
import { valueKind } from './valueKind.js'

/*
 * Schemas check options and grants. Their messages are the ends of sentences: the problem and a remedy. A
 * message never repeats a value, which could be a secret; `{seen}` stands for its kind.
 */

/** A schema for each key of a type. */
export type ShapeOf<TType> = { readonly [Key in keyof Required<TType>]: z.ZodType }

/** An object with only these keys, because a misspelt key would have no effect. */
export const objectOf = <TShape extends z.ZodRawShape>(shape: TShape, noObject = 'is not an object{seen}.') =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? unknownKey(issue.keys[0] ?? '', Object.keys(shape)) : noObject,
  })

interface Problem {
  /** Empty for the object itself. */
  readonly path: string
  readonly message: string
}

/** Checks a value. Returns the first problem, or the value with its defaults. */
export function check<TSchema extends z.ZodType>(
  schema: TSchema,
  value: unknown,
):
  | { readonly data: z.output<TSchema>; readonly problem?: undefined }
  | { readonly data?: undefined; readonly problem: Problem } {
  const late = promiseIn(value)
  if (late !== undefined) return { problem: { path: late, message: 'is a Promise. Await it.' } }
  const { data, error } = schema.safeParse(value)
  return error ? { problem: problemOf(error, value) } : { data }
}

/** Levels of the options and of a grant, such as `meetings.wire.params`. */
const MAX_LEVELS = 3

/** Not a client or a logger of the application. */
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as null)

/** The path of a promise. Without this check, one in place of an object would be an object without keys. */
function promiseIn(value: unknown, path: readonly string[] = []): string | undefined {
  if (value instanceof Promise) return path.join('.')
  if (path.length === MAX_LEVELS || !isPlain(value)) return undefined
  for (const [key, part] of Object.entries(value)) {
    const late = promiseIn(part, [...path, key])
    if (late !== undefined) return late
  }
  return undefined
}

function problemOf({ issues }: z.ZodError, value: unknown): Problem {
  // Prefer unknown keys: a misspelt key also causes the problem that the right key is missing.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  const keys = issue?.path.filter((key) => typeof key === 'string') ?? []
  const found = keys.reduce((part: unknown, key) => Reflect.get(Object(part), key) as unknown, value)
  return { path: keys.join('.'), message: withKind(issue?.message ?? '', found) }
}

/** A message that asks for another kind of value says which kind was found. */
function withKind(message: string, found: unknown): string {
  const [wanted = '', remedy] = message.split('{seen}')
  if (remedy === undefined) return message
  const kind = valueKind(found)
  const isWantedKind = wanted.includes(kind === 'a number' ? 'number' : kind)
  return `${wanted}${isWantedKind ? '' : `: it is ${kind}`}${remedy}`
}

/** Throws an error for a wrong option. The sentence has the problem and a remedy, and contains no secret. */
export function refuse(sentence: string): never {
  throw new TypeError(`Failed to create the BFF: ${sentence}`)
}

/** Returns the checked options with their defaults. `name`: the word for the options object in a sentence. */
export function parseOptions<TSchema extends z.ZodType>(
  schema: TSchema,
  options: unknown,
  name = 'the object of options',
): z.output<TSchema> {
  const { data, problem } = check(schema, options)
  if (!problem) return data
  const { path, message } = problem
  return refuse(`${path ? `"${path}"` : name} ${message}`)
}

const NO_NAME = 'is not a short name. Use letters, digits and . : _ -'

/** A whole number within bounds. */
export const whole = (error: string, min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.int(error).min(min, error).max(max, error)

const ACCOUNT_NAME = /^[\w.:-]{1,64}$/

/** The name of an account, which is part of keys in Redis. */
export const accountName = z.string(NO_NAME).regex(ACCOUNT_NAME, NO_NAME)

export const isAccountName = (name: unknown): name is string =>
  typeof name === 'string' && ACCOUNT_NAME.test(name)
