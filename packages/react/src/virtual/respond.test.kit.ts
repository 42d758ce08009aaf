/**
 * A JSON response with the parts that the client reads. It is not a `Response`, because jsdom has none, and
 * tests under Jest also use the scripted service.
 */
export function respond(value: unknown, status = 200): Response {
  const text = JSON.stringify(value)
  const response = {
    ok: status < 300,
    status,
    headers: new Map([['content-type', 'application/json']]),
    text: () => Promise.resolve(text),
    json: () => Promise.resolve(JSON.parse(text) as unknown),
  }
  return response as unknown as Response
}
