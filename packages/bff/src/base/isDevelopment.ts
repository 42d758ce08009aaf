/**
 * True in development, in which the BFF may give more details: `NODE_ENV` can be read and is not
 * `production`. It is read each time, because a dev server may set it later.
 */
export function isDevelopment(): boolean {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } }
  return process?.env !== undefined && process.env['NODE_ENV']?.trim().toLowerCase() !== 'production'
}
