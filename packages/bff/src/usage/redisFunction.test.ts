import { WITH_LEASE } from '@stagepass/contract'
import { startStack } from '@stagepass/testing'
import { expect, it } from 'vitest'

const LINES = [
  /^\[stagepass\] budget\.store: What came is not the reply of the script\. .+ A function in "redis" must return what EVAL answers, unchanged/,
  /^\[stagepass\] USAGE_UNAVAILABLE: Redis counts .+, and answered UNEXPECTED\. /,
]

it.each<readonly [string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a word', 'OK'],
  ['a number', 1],
  ['an empty list', []],
  ['a list of nothing', [null]],
  ['the reply of a transaction', [[null, [1, 60_000, 0, 0]]]],
  ['the body of an interface over HTTP', { result: [1, 60_000, 0, 0] }],
  ['its text', '{"result":[1,60000,0,0]}'],
  ['an error that is not thrown', new Error('READONLY')],
])(
  'a function in "redis" that returns %s gets a line that says so, and no user gets a wrong error',
  async (_what, value) => {
    const lines: string[] = []
    const print = (line: string) => lines.push(line)
    await using stack = await startStack({
      bff: {
        redis: async () => value,
        userSecret: 'a secret that all of the instances have',
        logger: { warn: print, error: print },
        sessions: { max: 9 },
      },
    })
    const { meetingsCredential: credential } = stack.upstream
    stack.grant = { user: 'ada', usage: { minutesPerDay: 20 }, meetings: { credential } }
    const list = await stack.fetch('/meetings')
    const token = await stack.fetch('/session-token', { json: { usage_type: 'stt' } })
    expect(list.status).toBe(200)
    expect(await token.json()).toMatchObject({ error_code: 'USAGE_UNAVAILABLE' })
    expect(await (await stack.fetch('/usage')).json()).toMatchObject({ error_code: 'USAGE_UNAVAILABLE' })
    for (const line of LINES) expect(lines).toContainEqual(expect.stringMatching(line))

    // A session has its own script, and goes on without Redis.
    stack.grant = { user: 'ben' }
    const accept = { accept: WITH_LEASE }
    const session = await stack.fetch('/session-token', { json: { usage_type: 'stt' }, headers: accept })
    expect(session.status).toBe(200)
    expect(stack.events).toContainEqual(
      expect.objectContaining({ type: 'sessions.store', reason: 'lost', reply: 'UNEXPECTED' }),
    )
  },
)
