/**
 * A body with each value at its path of the wire: `data.items` is `items` in an object at `data`. A value at
 * an empty path is the whole body. A value that is `undefined` is left out. (Assumptions: "List envelope".)
 */
export function formatAnswer(parts: readonly (readonly [path: string, value: unknown])[]): unknown {
  const whole = parts.find(([path]) => path === '')
  if (whole) return whole[1]
  const body: Record<string, unknown> = {}
  for (const [path, value] of parts) if (value !== undefined) place(body, path.split('.'), value)
  return body
}

function place(body: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  // Only objects of this file are in it.
  if (rest.length > 0) place((body[key] ??= {}) as Record<string, unknown>, rest, value)
  else body[key] = value
}
