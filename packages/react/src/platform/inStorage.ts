/** Undefined without such a storage, as on a phone, and in a browser that forbids it. */
export function inStorage<TResult>(
  kind: 'localStorage' | 'sessionStorage',
  access: (storage: Storage) => TResult,
): TResult | undefined {
  try {
    return access(globalThis[kind])
  } catch {
    return undefined
  }
}
