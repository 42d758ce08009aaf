import { readFileSync } from 'node:fs'

/*
 * What a page of an earlier version sends to the BFF, and what it reads of the response: one JSON file for
 * each version. A name in braces is a value of an earlier response.
 */

export interface Exchange {
  readonly name: string
  readonly request: {
    readonly method: string
    readonly path: string
    readonly body?: Readonly<Record<string, unknown>>
  }
  /** A set-up of the test. */
  readonly given?: string
  readonly response: {
    readonly status: number
    readonly reads: Spec
    /** Members of the response that later requests contain, by their name in braces. */
    readonly keeps?: Readonly<Record<string, string>>
  }
}

export interface PageRecord {
  readonly version: string
  /** By the method of the request. */
  readonly headers: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** The values of `Accept`; a request may have each. */
  readonly accepts: readonly string[]
  readonly exchanges: readonly Exchange[]
  readonly refusals: readonly Exchange[]
}

/** A kind of value, one exact value, or the members that the page reads of an object or of each item. */
export type Spec =
  keyof typeof KINDS | { readonly is: unknown } | readonly [Spec] | { readonly [member: string]: Spec }

const KINDS = {
  text: (value: unknown) => typeof value === 'string' && value !== '',
  'text or null': (value: unknown) => value === null || typeof value === 'string',
  count: (value: unknown) => typeof value === 'number' && value >= 0,
  time: (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  list: Array.isArray,
}

export const readRecord = (file: string): PageRecord =>
  JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as PageRecord

const isList = (spec: Spec): spec is readonly [Spec] => Array.isArray(spec)

/** Where a value is not what the page reads. Empty if it is. */
export function differencesOf(spec: Spec, value: unknown, place = 'the body'): string[] {
  if (typeof spec === 'string') return KINDS[spec](value) ? [] : [`${place} is no ${spec}: ${show(value)}`]
  if ('is' in spec) return value === spec.is ? [] : [`${place} is not ${show(spec.is)}: ${show(value)}`]
  if (isList(spec))
    return Array.isArray(value) && value.length > 0
      ? value.flatMap((item, index) => differencesOf(spec[0], item, `${place}[${index}]`))
      : [`${place} is no list with an item: ${show(value)}`]
  if (typeof value !== 'object' || value === null) return [`${place} is no object: ${show(value)}`]
  return Object.entries(spec).flatMap(([member, one]) =>
    differencesOf(one, Reflect.get(value, member), `${place}.${member}`),
  )
}

const show = (value: unknown): string => JSON.stringify(value) ?? 'missing'

/** The value without the members that the page is not recorded to read. */
export function onlyRead(spec: Spec, value: unknown): unknown {
  if (typeof spec === 'string' || 'is' in spec || typeof value !== 'object' || value === null) return value
  if (isList(spec)) return (value as unknown[]).map((item) => onlyRead(spec[0], item))
  return Object.fromEntries(
    Object.entries(spec).flatMap(([member, one]) =>
      member in value ? [[member, onlyRead(one, Reflect.get(value, member))]] : [],
    ),
  )
}
