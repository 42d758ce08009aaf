/** Schemes whose pages all send the same `Origin`, or none. */
const WITHOUT_ORIGIN = new Set(['file', 'data', 'blob', 'about', 'javascript', 'filesystem'])

/** `tauri://localhost`, `app://.`, `moz-extension://<uuid>`: as browsers send it. */
const OF_APPLICATION = /^[a-z][a-z\d+.-]*:\/\/(?:[.-]|[a-z\d_-]+(?:\.[a-z\d_-]+)*)(?::\d{1,5})?$/

/** Schemes with rules of their own in every browser (URL Standard: "special scheme"), and without pages. */
const WITHOUT_PAGES = new Set(['ws', 'wss', 'ftp'])

/**
 * Describes, as a sentence, why a value cannot be in a list of origins. An origin is what a browser sends as
 * `Origin`, of a page in a browser or in an application with a scheme of its own. Origins are compared as
 * texts, so any other form would never match. The sentence does not contain the value.
 */
export function listedOriginProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'An item is not a text.'
  if (value.includes('*')) return 'A pattern with "*" would allow pages of others. List each origin.'
  if (value === 'null')
    return 'Any sandboxed frame, file and redirect sends "null". Give the page an origin of its own: an application can serve it from a scheme such as app://.'
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(value)?.[1]?.toLowerCase()
  if (scheme === undefined)
    return 'An item has no scheme. Begin it with https:// or the scheme of an application.'
  if (WITHOUT_ORIGIN.has(scheme))
    return `Browsers send "null" for pages of ${scheme}:, as for many others. Serve the page from https, or in an application from a scheme such as app://.`
  if (WITHOUT_PAGES.has(scheme)) return `No page has an address of ${scheme}:. List the origin of the page.`
  const isExact = scheme === 'http' || scheme === 'https' ? isWebOrigin(value) : OF_APPLICATION.test(value)
  return isExact
    ? undefined
    : 'An item has capitals, a user, a path, a final slash, a final dot or a default port. Write what the browser sends as Origin.'
}

/** True for the origin of a page on the web, in the form of browsers. */
export const isWebOrigin = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^https?:\/\//.test(value) &&
  URL.canParse(value) &&
  new URL(value).origin === value &&
  !/\*|\.(?::\d+)?$/.test(value)
