import { unknownKey } from '@stagepass/contract'
import { z } from 'zod'

/*
 * Schemas check options and grants. Their messages are the ends of sentences: the problem and a remedy. A
 * message never repeats a value, which could be a secret.
 */

/** A schema for each key of a type. */
export type ShapeOf<TType> = { readonly [Key in keyof Required<TType>]: z.ZodType }

/** An object with only these keys, because a misspelt key would have no effect. */
export const objectOf = <TShape extends z.ZodRawShape>(shape: TShape, noObject = 'is not an object.') =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? unknownKey(issue.keys[0] ?? '', Object.keys(shape)) : noObject,
  })

/** The first problem and its path. The path is empty for the object itself. */
export function problemOf({ issues }: z.ZodError): { readonly path: string; readonly message: string } {
  // Prefer unknown keys: a misspelt key also causes the problem that the right key is missing.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  const path = issue?.path.filter((key) => typeof key === 'string').join('.') ?? ''
  return { path, message: issue?.message ?? '' }
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
  const { data, error } = schema.safeParse(options)
  if (!error) return data
  const { path, message } = problemOf(error)
  return refuse(`${path ? `"${path}"` : name} ${message}`)
}

/** A whole number within bounds. */
export const whole = (error: string, min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.int(error).min(min, error).max(max, error)

/** The name of an account, which is part of keys in Redis. */
export const accountName = z
  .string('is not a short name. Use letters, digits and . : _ -')
  .regex(/^[\w.:-]{1,64}$/, 'is not a short name. Use letters, digits and . : _ -')
