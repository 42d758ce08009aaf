/** A secret follows these words. Here it opens nothing; in an application it would. */
const SECRETS = /((?:api-key|bearer)(?:\s|%20|\+)+|"session_key":\s*")([^\s"&]{4})[^\s"&]*/gi

/** The text with the first four characters of each secret. */
export function shorten(text: string): string {
  return text.replace(SECRETS, '$1$2…')
}

const LONGEST = 2_000

/** A body as lines for display. */
export function describeBody(body: string): readonly string[] {
  if (body === '') return []
  let text = body
  try {
    text = JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    // It is shown as it is.
  }
  const short = shorten(text)
  return [short.length > LONGEST ? `${short.slice(0, LONGEST)}…` : short]
}
