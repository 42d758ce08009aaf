import { encodeText, USER_HEADER } from '@stagepass/contract'
import { type Stack, startStack } from '@stagepass/testing'
import { expect, it } from 'vitest'
import { ask, ROUTE_BODIES } from '../ask.test.kit.js'
import { LOGIN_HEADERS } from '../grant/presets/HostRequest.js'
import { ROUTES } from './routes/matchRoute.js'

/**
 * Sends a request to `/tags` with the header as given, or without it. Resolves with the error code, or with
 * the status of a success.
 */
async function tags(stack: Stack, user?: string | string[]): Promise<unknown> {
  const { status, code } = await ask(stack, '/tags', { headers: { [USER_HEADER]: user } })
  return code ?? status
}

it.each(ROUTES.map((route) => [route.name, route] as const))(
  'S38 %s responds with USER_CHANGED to another user, before any upstream request',
  async (name, { method, path }) => {
    await using stack = await startStack()
    const headers = { [USER_HEADER]: 'grace' }
    const { text } = await ask(stack, path.replace(':id', 'm-1'), {
      method,
      headers,
      body: ROUTE_BODIES[name],
    })
    expect(JSON.parse(text)).toMatchObject({ status: 403, error_code: 'USER_CHANGED', retryable: false })
    expect(stack.upstream.requests).toEqual([])
    expect(stack.upstream.sockets).toEqual([])
    expect(stack.events.map(({ type }) => type)).toEqual(['request.finished'])
  },
)

it.each(['ada', 'Zoë', '李雷', '👩🏽‍🎤', 'a b', 'a,b', '100%', '%41', 'a\nb', 'x'.repeat(512)])(
  'S38 compares the whole id: %j',
  async (user) => {
    await using stack = await startStack({
      bff: { authorize: () => ({ user, meetings: stack.grant?.meetings }) },
    })
    expect(await tags(stack, encodeURIComponent(user))).toBe(200)
    for (const other of [`${user}x`, Array.from(user).slice(1).join(''), user.toUpperCase() + user])
      expect(await tags(stack, encodeURIComponent(other))).toBe('USER_CHANGED')
  },
)

it('compares an id with half of an emoji as the page writes it', async () => {
  await using stack = await startStack({ bff: { authorize: () => ({ user: 'x\ud83d' }) } })
  expect(await tags(stack, encodeText('x\ud83d'))).not.toBe('USER_CHANGED')
  expect(await tags(stack, encodeText('x'))).toBe('USER_CHANGED')
})

it.each(['', '%', '%zz', '%E0%A4%A', '%FF', 'ada%', ['ada', 'ada']])(
  'S38 treats %j as another user',
  async (header) => {
    // Even if the id is exactly this text.
    await using stack = await startStack({ bff: { authorize: () => ({ user: String(header) || 'ada' }) } })
    expect(await tags(stack, header)).toBe('USER_CHANGED')
    expect(stack.upstream.requests).toEqual([])
  },
)

it('S38 stays UNAUTHENTICATED without a grant, and NOT_FOUND is for the same user only', async () => {
  await using stack = await startStack()
  const headers = { [USER_HEADER]: 'grace' }
  expect((await stack.fetch('/nowhere', { headers })).status).toBe(403)
  stack.grant = null
  expect(await tags(stack, 'grace')).toBe('UNAUTHENTICATED')
})

it('S38 does not count a request that names another user', async () => {
  await using stack = await startStack({ bff: { limits: { tokensPerMinute: 1, meetingsPerMinute: 1 } } })
  for (let sent = 0; sent < 3; sent++) expect(await tags(stack, 'grace')).toBe('USER_CHANGED')
  expect(await tags(stack, 'ada')).toBe(200)
  expect(await tags(stack, 'ada')).toBe('RATE_LIMITED')
})

it('S38 neither forwards the header nor writes it anywhere', async () => {
  await using stack = await startStack({
    bff: { authorize: () => ({ user: 'ada', meetings: stack.grant?.meetings }) },
  })
  expect(await tags(stack, '%61da')).toBe(200)
  expect(await tags(stack, 'gr%61ce')).toBe('USER_CHANGED')
  expect(stack.upstream.requests).toHaveLength(1)
  expect(JSON.stringify(stack.upstream.requests)).not.toMatch(/x-stagepass|%61da|"ada"/)
  expect(JSON.stringify(stack.events)).not.toMatch(/%61|grace/)
})

it.each(ROUTES.map((route) => [route.name, route] as const))(
  'S70 Vary of %s names the headers that choose the user, also of a refusal',
  async (name, { method, path }) => {
    await using stack = await startStack()
    const send = (headers: Record<string, string>) =>
      ask(stack, path.replace(':id', 'm-1'), { method, headers, body: ROUTE_BODIES[name] })
    for (const headers of [{}, { [USER_HEADER]: 'ada' }, { [USER_HEADER]: 'grace' }]) {
      const { vary = '' } = (await send(headers)).headers
      expect(vary.toLowerCase().split(', ')).toEqual([...LOGIN_HEADERS, USER_HEADER])
    }
  },
)

it('S70 a response that no user chose has no Vary', async () => {
  await using stack = await startStack()
  expect((await ask(stack, '/health')).headers).not.toHaveProperty('vary')
})

it('S38 a page that names account and user is told if the user of another account has the same id', async () => {
  await using stack = await startStack()
  const { meetings } = stack.grant ?? {}
  const as = (account: string | undefined) => {
    stack.grant = { user: '42', account, meetings }
  }
  as('acme')
  expect([await tags(stack, 'acme:42'), await tags(stack, '42')]).toEqual([200, 200])
  const before = stack.upstream.requests.length
  as('globex')
  expect(await tags(stack, 'acme:42')).toBe('USER_CHANGED')
  expect(stack.events.at(-1)).toMatchObject({ type: 'request.finished', account: 'globex', user: '42' })
  as(undefined)
  for (const named of ['acme:42', ':42', 'undefined:42'])
    expect(await tags(stack, named)).toBe('USER_CHANGED')
  expect(stack.upstream.requests).toHaveLength(before)
})
