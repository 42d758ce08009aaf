/**
 * A JSON response with what the client reads of it. It is not an instance of `Response`, because jsdom has
 * none: Jest's default environment for components would be without the scripted service.
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
