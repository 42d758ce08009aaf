import { createHmac as nodeHmac, hkdfSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { createHmac, sha256 } from './keys.js'
import { createUserNames } from '../usage/userNames.js'
import { sameText } from './sameText.js'

const SECRET = 'a secret of the host, 32 characters'

const derived = (purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', SECRET, '', `stagepass ${purpose}`, 32))

it("S26 a name is equal to Node's HMAC, and each purpose has its own key", async () => {
  const hmac = createHmac(SECRET, 'grants')
  const byNode = (text: string): string =>
    nodeHmac('sha256', derived('grants')).update(text).digest('base64url')
  // Enough of them to contain each character of base64.
  for (const text of ['one 🎲', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'])
    expect(await hmac(text)).toBe(byNode(text))
  expect(await createHmac(SECRET, 'user ids')('one 🎲')).not.toBe(byNode('one 🎲'))
  expect(byNode('one 🎲')).toMatch(/^[\w-]{43}$/)
})

it("S26 a user's name can only be computed with the secret, and no two ids have the same name", async () => {
  const name = createUserNames(true, SECRET)
  const byNode = nodeHmac('sha256', derived('user ids')).update('"1042"').digest('base64url')
  expect(await name({ user: '1042' })).toBe(byNode.slice(0, 22))
  expect(await createUserNames(true, undefined)({ user: '1042' })).toBe((await sha256('"1042"')).slice(0, 22))
  // An encoder gives the halves of all surrogate pairs the same bytes.
  expect(await name({ user: '\ud83d' })).not.toBe(await name({ user: '\ufffd' }))
})

it('S38 users of two accounts with one id have different names, whatever the ids are', async () => {
  const ids = ['42', '["acme","42"]', '"42"']
  const users = ids.flatMap((user) => [{ user }, ...['acme', 'globex'].map((account) => ({ user, account }))])
  for (const nameOf of [createUserNames(true, SECRET), createUserNames(false, SECRET)])
    expect(new Set(await Promise.all(users.map(async (user) => nameOf(user)))).size).toBe(users.length)
})

it.each([
  ['', '', true],
  ['a', 'a', true],
  ['secret 🎲', 'secret 🎲', true],
  ['', 'a', false],
  ['a', '', false],
  ['secret', 'secreT', false],
  ['Secret', 'secret', false],
  // Their letters differ by the same bits, in the opposite order.
  ['ab', 'ba', false],
  ['secret', 'secret2', false],
  ['secret2', 'secret', false],
])('S26 compares %j with %j', (given, secret, expected) => {
  expect(sameText(given, secret)).toBe(expected)
})
