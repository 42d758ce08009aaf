import { unknownKey } from '@stagepass/contract'
import { z } from 'zod'

/*
 * Options and grants are read by schemas. Their messages are the ends of sentences: what a value is not, and
 * what to write. None repeats a value, which could be a secret.
 */

/** One key of a type, one schema. */
export type ShapeOf<TType> = { readonly [Key in keyof Required<TType>]: z.ZodType }

/** An object with these keys alone: a misspelt one would have no effect. */
export const objectOf = <TShape extends z.ZodRawShape>(shape: TShape, noObject = 'is not an object.') =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? unknownKey(issue.keys[0] ?? '', Object.keys(shape)) : noObject,
  })

/** What is wrong first, and where. The path is empty for the object itself. */
export function problemOf({ issues }: z.ZodError): { readonly path: string; readonly message: string } {
  // A misspelt key is also one that is missing.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  const path = issue?.path.filter((key) => typeof key === 'string').join('.') ?? ''
  return { path, message: issue?.message ?? '' }
}

/** Throws for a bad option. The sentence says what is wrong and what to do, and holds no secret. */
export function refuse(sentence: string): never {
  throw new TypeError(`Failed to create the BFF: ${sentence}`)
}

/** Checked options with their defaults. `name`: what the object of them is in a sentence. */
export function parseOptions<TSchema extends z.ZodType>(
  schema: TSchema,
  options: unknown,
  name = 'the object of options',
): z.output<TSchema> {
  const { data, error } = schema.safeParse(options)
  if (!error) return data
  const { path, message } = problemOf(error)
  return refuse(`${path ? `"${path}"` : name} ${message}`)
}

/** A whole number within bounds. */
export const whole = (error: string, min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.int(error).min(min, error).max(max, error)

/** A name of an account: it is a part of keys in Redis. */
export const accountName = z
  .string('is not a short name. Use letters, digits and . : _ -')
  .regex(/^[\w.:-]{1,64}$/, 'is not a short name. Use letters, digits and . : _ -')
