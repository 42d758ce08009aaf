import type { BrowserContext, Page } from 'playwright'

/**
 * All data of a page that a script, a person or an extension could read, or that is on disk, by its place.
 */
export async function readPage(page: Page): Promise<Map<string, string>> {
  const inside = await page.evaluate(async () => {
    const databases = await Promise.all(
      (await indexedDB.databases()).map(async ({ name }) => {
        const database = await new Promise<IDBDatabase>((resolve, reject) => {
          const opening = indexedDB.open(name ?? '')
          opening.addEventListener('success', () => resolve(opening.result))
          opening.addEventListener('error', () => reject(opening.error ?? new Error('not opened')))
        })
        const stores = [...database.objectStoreNames]
        const rows = await Promise.all(
          stores.map(
            (store) =>
              new Promise<unknown[]>((resolve, reject) => {
                const reading = database.transaction(store).objectStore(store).getAll()
                reading.addEventListener('success', () => resolve(reading.result))
                reading.addEventListener('error', () => reject(reading.error ?? new Error('not read')))
              }),
          ),
        )
        return { name, stores, rows }
      }),
    )
    const globals = Object.entries(globalThis).map(([name, value]: [string, unknown]) => {
      try {
        return `${name}=${JSON.stringify(value)}`
      } catch {
        return `${name}=${String(value)}`
      }
    })
    return {
      DOM: document.documentElement.outerHTML,
      localStorage: JSON.stringify(Object.entries(localStorage)),
      sessionStorage: JSON.stringify(Object.entries(sessionStorage)),
      'document.cookie': document.cookie,
      indexedDB: JSON.stringify(databases),
      caches: JSON.stringify(await caches.keys()),
      'resource timings': JSON.stringify(performance.getEntries()),
      location: location.href + JSON.stringify(history.state),
      globals: globals.join('\n'),
    }
  })
  const cookies = JSON.stringify(await page.context().cookies())
  return new Map([...Object.entries(inside), ['cookies', cookies]])
}

/**
 * Records the HTTP responses of the page, by address. The events of the demo's server never end, and are not
 * recorded.
 */
export function recordAnswers(context: BrowserContext): () => Promise<Map<string, string>> {
  const answers: Promise<readonly [string, string]>[] = []
  context.on('requestfinished', (request) => {
    const read = async (): Promise<string> => {
      const response = await request.response()
      // A redirect, or an answer from the page's own cache, has no body to read.
      const body = await response?.text().catch(() => '')
      return JSON.stringify(await response?.allHeaders()) + body
    }
    const name = `${request.method()} ${request.url()} #${answers.length}`
    answers.push(read().then((text) => [name, text]))
  })
  return async () => new Map(await Promise.all(answers))
}

/** The places that contain a secret, plain or encoded. */
export function placesOf(secret: string, places: ReadonlyMap<string, string>): string[] {
  const spellings = [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  ]
  return [...places]
    .filter(([, text]) => spellings.some((spelling) => text.includes(spelling)))
    .map(([name]) => name)
}
