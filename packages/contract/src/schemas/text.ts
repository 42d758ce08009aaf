import { z } from 'zod'

/**
 * A string of at most `max` UTF-16 units, the unit of JavaScript, of JSON parsers and of our limits.
 * (Assumptions: "Lengths".) The library's own `max` counts code points and would accept twice as many units.
 */
export const text = (max: number): z.ZodString =>
  z.string().refine((value) => value.length <= max, `longer than ${max}`)
