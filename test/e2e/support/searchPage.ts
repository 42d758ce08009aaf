import type { BrowserContext, Page } from 'playwright'

/** Everything of a page that script, a person, an extension or a disk could read, by the place it stands in. */
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

/** Keeps what comes to the page over HTTP, by address. */
export function recordAnswers(context: BrowserContext): () => Promise<Map<string, string>> {
  const answers = new Map<string, Promise<string>>()
  context.on('response', (response) => {
    // The answer of a redirect or of an event stream has no body to read.
    if (response.url().endsWith('/api/demo/events')) return
    const whole = Promise.all([response.allHeaders(), response.text().catch(() => '')])
    answers.set(
      `${response.request().method()} ${response.url()} #${answers.size}`,
      whole.then(([headers, body]) => JSON.stringify(headers) + body),
    )
  })
  return async () =>
    new Map(await Promise.all([...answers].map(async ([url, body]) => [url, await body] as const)))
}

/** The places in which a secret stands, as it is or in an encoding. */
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
