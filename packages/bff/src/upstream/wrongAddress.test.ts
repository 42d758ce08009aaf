import { startStack, type StackOptions } from '@stagepass/testing'
import { expect, it } from 'vitest'

/** The code of the response, and the events about options. */
async function ask(bff: StackOptions['bff'], ...requests: readonly [path: string, json?: object][]) {
  await using stack = await startStack({ bff })
  const codes: unknown[] = []
  for (const [path, json] of requests) {
    const response = await stack.fetch(path, { json })
    codes.push(((await response.json()) as { error_code?: string }).error_code)
  }
  const problems = stack.events.flatMap((event) =>
    event.type === 'host.misconfigured' ? [[event.option, event.problem]] : [],
  )
  return { codes, problems }
}

const MINT = { usage_type: 'stt' }

it('a list that the service does not have is not a missing route of the BFF', async () => {
  const { codes, problems } = await ask(
    { meetings: { wire: { listPath: '/records', tagsPath: '/labels' } } },
    ['/meetings?q=secret'],
    ['/meetings?q=secret'],
    ['/tags'],
    ['/nowhere'],
  )
  expect(codes).toEqual(['UPSTREAM_MALFORMED', 'UPSTREAM_MALFORMED', 'UPSTREAM_MALFORMED', 'NOT_FOUND'])
  const remedy =
    'Set "meetings.baseUrl" to the base of its meetings interface, and "meetings.wire" if the paths have other names.'
  expect(problems).toEqual(
    ['/v1/records', '/v1/labels'].map((path) => [
      'meetings.baseUrl',
      `The voice service answered 404 for ${path}: it has nothing at this path. ${remedy}`,
    ]),
  )
})

it('a service without a token endpoint is not a missing route of the BFF', async () => {
  await using elsewhere = await startStack()
  const { codes, problems } = await ask({ baseUrl: `${elsewhere.upstream.baseUrl}/v9` }, [
    '/session-token',
    MINT,
  ])
  expect(codes).toEqual(['UPSTREAM_MALFORMED'])
  expect(problems).toEqual([
    [
      'baseUrl',
      'The voice service answered 404 for /v9/v2/sdk/tokens/session: it has nothing at this path. Set "baseUrl" to its address.',
    ],
  ])
})

it('a meeting that nobody may see is not a mistake of the host', async () => {
  const { codes, problems } = await ask({}, ['/meetings/unknown'])
  expect(codes).toEqual(['NOT_FOUND'])
  expect(problems).toEqual([])
})
