import { z } from 'zod'

/**
 * A string of at most `max` UTF-16 units, which is what JavaScript, JSON parsers and our limits count.
 * (Assumptions: "Lengths".) The library's own `max` counts code points, and would accept twice as much.
 */
export const text = (max: number): z.ZodString =>
  z.string().refine((value) => value.length <= max, `longer than ${max}`)
