/** The used part of the module of Cloudflare Workers. Runtimes before August 2025 have no `waitUntil`. */
declare module 'cloudflare:workers' {
  export const waitUntil: ((work: Promise<unknown>) => void) | undefined
}
