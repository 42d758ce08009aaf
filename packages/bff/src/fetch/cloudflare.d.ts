/**
 * The module of Cloudflare Workers, as far as it is used. Runtimes before August 2025 have no `waitUntil`.
 */
declare module 'cloudflare:workers' {
  export const waitUntil: ((work: Promise<unknown>) => void) | undefined
}
