import { stripBom } from '@stagepass/contract'
import { parseExact } from './parseExact.js'

/**
 * Limit of the values in a JSON text. The time to parse depends on the number of values more than on the
 * length: 16 MB of `[` or of names take seconds, during which the process does nothing else. A page of 100
 * meetings with 800 transcript parts each has 400,000 values.
 */
const MAX_VALUES = 1_000_000

/**
 * Limits of the names in a JSON text: in one object, and different ones in all. Many values with the same few
 * names are parsed quickly. A name that is new, or in a large object, takes 25 times as long.
 */
const MAX_NAMES_OF_OBJECT = 1_000
const MAX_NAMES = 10_000

/** A shorter text is parsed in a few milliseconds, whatever it contains. */
const SHORT = 262_144

/**
 * Parses JSON. An integer that a number cannot hold is a text with its digits. Returns `undefined` if the
 * JSON is invalid or has too much.
 */
export function readJson(text: string): unknown {
  if (hasTooMuch(text)) return undefined
  const json = stripBom(text)
  try {
    const value: unknown = JSON.parse(json)
    return parseExact(json, value) ?? value
  } catch {
    return undefined
  }
}

/** True if a text has too many values or names to be parsed. The text need not be JSON. */
export function hasTooMuch(text: string): boolean {
  if (text.length < SHORT) return false
  let values = 0
  /** Hashes of the names. */
  const names = new Set<number>()
  /** Names of the object, and of those around it. */
  let own = 0
  const outer: number[] = []
  let hash = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"':
        hash = 0
        for (at += 1; at < text.length && text[at] !== '"'; at += text[at] === '\\' ? 2 : 1)
          hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
        break
      case '{':
      case '[':
        values += 1
        outer.push(own)
        own = 0
        break
      case '}':
      case ']':
        own = outer.pop() ?? 0
        break
      case ',':
        values += 1
        break
      case ':':
        own += 1
        names.add(hash)
    }
    if (values > MAX_VALUES || own > MAX_NAMES_OF_OBJECT || names.size > MAX_NAMES) return true
  }
  return false
}
