import { readFileSync } from 'node:fs'
import { WITH_LEASE } from '@stagepass/contract'
import { startRedis, startStack } from '@stagepass/testing'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { expect, it } from 'vitest'

/** The rights that the guide names. */
const [, RIGHTS = ''] =
  /ACL SETUSER stagepass on \S+ ([^`]+)`/.exec(
    readFileSync(new URL('../../../../docs/scaling.md', import.meta.url), 'utf8'),
  ) ?? []

/** A list, a token with minutes and a session, and a report, by a user of Redis with these rights. */
async function use(rights: string, library: 'redis' | 'ioredis' = 'redis') {
  await using server = await startRedis()
  const path = server.socketPath
  const admin = await server.connect()
  await admin.sendCommand(['ACL', 'SETUSER', 'stagepass', 'on', '>secret', ...rights.split(' ')])
  const [username, password] = ['stagepass', 'secret']
  const client = createClient({ socket: { path, tls: false }, username, password }).on('error', () => {})
  const other = new Redis({ path, username, password, lazyConnect: true })
  await (library === 'redis' ? client : other).connect()
  const lines: string[] = []
  const print = (line: string) => lines.push(line.replace(/ \(request .*/, ''))
  {
    await using stack = await startStack({
      bff: {
        redis: library === 'redis' ? client : other,
        userSecret: 'a secret that all of the instances have',
        logger: { warn: print, error: print },
        sessions: { max: 9 },
      },
    })
    const { meetingsCredential: credential } = stack.upstream
    stack.grant = { user: 'ada', usage: { minutesPerDay: 20 }, meetings: { credential } }
    const list = await stack.fetch('/meetings')
    const token = await stack.fetch('/session-token', {
      json: { usage_type: 'stt' },
      headers: { accept: WITH_LEASE },
    })
    const { usage_receipt: receipt } = (await token.json()) as { usage_receipt?: string }
    const statuses = [list.status, token.status]
    if (receipt !== undefined)
      statuses.push((await stack.fetch('/usage', { json: { receipt, used_ms: 0 } })).status)
    lines.unshift(statuses.join(' '))
  }
  if (library === 'redis') client.destroy()
  other.disconnect()
  return lines
}

it.each(['redis', 'ioredis'] as const)(
  'a user of Redis with the rights of the guide is enough: %s',
  async (library) => {
    expect(RIGHTS).toContain('+time')
    expect(await use(RIGHTS, library)).toEqual(['200 200 200'])
  },
)

it('without the right to EVALSHA too', async () => {
  expect(await use(RIGHTS.replace('+evalsha ', ''))).toEqual(['200 200 200'])
})

it.each([
  [
    ' +eval',
    '200 503',
    ['budget.store: Redis answers', 'USAGE_UNAVAILABLE: Redis counts for all instances, and answered'],
  ],
  [
    ' +@write',
    '200 503',
    ['budget.store: Redis answers', 'USAGE_UNAVAILABLE: Redis counts for all instances, and answered'],
  ],
  [' +time', '200 200 200', ['budget.store: Redis answers']],
])('without%s the lines say what Redis answered', async (right, statuses, said) => {
  const [first, ...lines] = await use(RIGHTS.replace(right, ''))
  expect(first).toBe(statuses)
  expect(lines.toSorted()).toEqual(
    said
      .toSorted()
      .map((words) =>
        expect.stringMatching(`^\\[stagepass\\] ${words} (?:NOPERM|ERR)\\. .*rights of its user`),
      ),
  )
})
