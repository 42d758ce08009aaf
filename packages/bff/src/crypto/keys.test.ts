import { createHmac as nodeHmac, hkdfSync } from 'node:crypto'
import { array, assert, asyncProperty, uint8Array } from 'fast-check'
import { expect, it } from 'vitest'
import { toBase64, toBase64Url } from './base64.js'
import { createHmac, sha256 } from './keys.js'
import { createUserNames } from './userNames.js'

const SECRET = 'a secret of the host, 32 characters'

const derived = (purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', SECRET, '', `stagepass ${purpose}`, 32))

it("S26 a name is what Node's own HMAC makes, and each purpose has a key of its own", async () => {
  const byNode = nodeHmac('sha256', derived('grants')).update('one 🎲').digest('base64url')
  expect(await createHmac(SECRET, 'grants')('one 🎲')).toBe(byNode)
  expect(await createHmac(SECRET, 'user ids')('one 🎲')).not.toBe(byNode)
  expect(byNode).toMatch(/^[\w-]{43}$/)
})

it('S26 a user has a name that only the secret leads to, and no two ids share one', async () => {
  const name = createUserNames(true, SECRET)
  const byNode = nodeHmac('sha256', derived('user ids')).update('"1042"').digest('base64url')
  expect(await name('1042')).toBe(byNode.slice(0, 22))
  expect(await createUserNames(true, undefined)('1042')).toBe((await sha256('"1042"')).slice(0, 22))
  // Halves of a character are one byte sequence for an encoder.
  expect(await name('\ud83d')).not.toBe(await name('\ufffd'))
  expect(createUserNames(false, SECRET)('1042')).toBe('1042')
})

it('base64 of any bytes is what Node makes', async () => {
  const same = asyncProperty(
    array(uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 3 }),
    async (parts) => {
      const bytes = Buffer.concat(parts)
      const text = bytes.toString('base64')
      return toBase64(bytes) === text
    },
  )
  await expect(assert(same, { numRuns: 500 })).resolves.toBeUndefined()
})

it('base64 for addresses has no padding, and no sign that means something there', () => {
  expect(
    [[1], [1, 2], [1, 2, 3], [251, 255, 191]].map((bytes) => toBase64Url(Uint8Array.from(bytes))),
  ).toEqual(['AQ', 'AQI', 'AQID', '-_-_'])
})
