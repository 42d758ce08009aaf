import type { BrowserEmulator } from '@stagepass/emulator/browser'

/** A `fetch` for a server in the page. It reaches the emulator alone. */
export function createServiceFetch(
  transport: BrowserEmulator['bffOptions']['transport'],
): typeof globalThis.fetch {
  return async function fetch(input, init) {
    const request = new Request(input, init)
    const { origin, pathname, search } = new URL(request.url)
    const { status, text } = await transport.send(
      {
        method: request.method === 'POST' ? 'POST' : 'GET',
        origin,
        path: pathname + search,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
        maxBytes: 1_000_000,
      },
      request.signal,
    )
    return new Response(text, { status })
  }
}
