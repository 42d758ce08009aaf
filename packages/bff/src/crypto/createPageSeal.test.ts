import { createCipheriv, createDecipheriv, createHmac as nodeHmac, hkdfSync } from 'node:crypto'
import { array, assert, asyncProperty, uint8Array } from 'fast-check'
import { expect, it } from 'vitest'
import { fromBase64, toBase64, toBase64Url } from './base64.js'
import { createPageSeal, sealedLength } from './createPageSeal.js'
import { createHmac, sha256 } from './keys.js'
import { createUserNames } from './userNames.js'

const SECRET = 'a secret of the host, 32 characters'
const NAME = 'stagepass:{main}:page:one'
const seal = createPageSeal(SECRET)
const PAGE = '{"meetings":[{"id":"1","title":"Würfel 🎲"}]}'

it('S41 opens what it has sealed, and so does another instance with the secret', async () => {
  const sealed = await seal.seal(NAME, PAGE)
  expect(await createPageSeal(SECRET).open(NAME, sealed)).toBe(PAGE)
  expect(sealed).toHaveLength(sealedLength(Buffer.byteLength(PAGE)))
  expect(await seal.open(NAME, await seal.seal(NAME, ''))).toBe('')
})

it('S41 hides the page, and never seals it the same way twice', async () => {
  const [one, two] = [await seal.seal(NAME, PAGE), await seal.seal(NAME, PAGE)]
  expect(one).not.toBe(two)
  expect(Buffer.from(one, 'base64').includes('meetings')).toBe(false)
})

it('S41 a page with any bit changed does not open', async () => {
  const bytes = Buffer.from(await seal.seal(NAME, PAGE), 'base64')
  for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(await seal.open(NAME, changed.toString('base64'))).toBeUndefined()
  }
})

it('S41 a page that was cut or made longer does not open', async () => {
  const sealed = await seal.seal(NAME, PAGE)
  for (let length = 0; length < sealed.length; length += 1)
    expect(await seal.open(NAME, sealed.slice(0, length))).toBeUndefined()
  for (const more of ['!', 'AAAA', '\n', ' '])
    for (const changed of [sealed + more, more + sealed])
      expect(await seal.open(NAME, changed)).toBeUndefined()
})

it('S41 a page under another name or another secret does not open', async () => {
  const sealed = await seal.seal(NAME, PAGE)
  expect(await seal.open('stagepass:{main}:page:two', sealed)).toBeUndefined()
  expect(await seal.open('stagepass:{other}:page:one', sealed)).toBeUndefined()
  expect(await createPageSeal(`${SECRET}!`).open(NAME, sealed)).toBeUndefined()
})

const derived = (purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', SECRET, '', `stagepass ${purpose}`, 32))

it("S41 a sealed page is what Node's own AES-256-GCM and HKDF make, and the other way round", async () => {
  const additional = Buffer.concat([Buffer.of(2), Buffer.from(NAME)])
  const bytes = Buffer.from(await seal.seal(NAME, PAGE), 'base64')
  const decipher = createDecipheriv('aes-256-gcm', derived('page contents'), bytes.subarray(1, 13))
    .setAAD(additional)
    .setAuthTag(bytes.subarray(-16))
  expect(decipher.update(bytes.subarray(13, -16), undefined, 'utf8') + decipher.final('utf8')).toBe(PAGE)

  const nonce = Buffer.alloc(12, 7)
  const cipher = createCipheriv('aes-256-gcm', derived('page contents'), nonce).setAAD(additional)
  const encrypted = Buffer.concat([cipher.update(PAGE), cipher.final()])
  const sealed = Buffer.concat([Buffer.of(2), nonce, encrypted, cipher.getAuthTag()]).toString('base64')
  expect(await seal.open(NAME, sealed)).toBe(PAGE)
})

it("S41 a name is what Node's own HMAC makes, and each purpose has a key of its own", async () => {
  const byNode = nodeHmac('sha256', derived('page names')).update('one 🎲').digest('base64url')
  expect(await createHmac(SECRET, 'page names')('one 🎲')).toBe(byNode)
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

it('base64 of any bytes is what Node makes, and only that is read', async () => {
  const same = asyncProperty(
    array(uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 3 }),
    async (parts) => {
      const bytes = Buffer.concat(parts)
      const text = bytes.toString('base64')
      return toBase64(bytes) === text && Buffer.from(fromBase64(text) ?? []).equals(bytes)
    },
  )
  await expect(assert(same, { numRuns: 500 })).resolves.toBeUndefined()
  for (const other of ['A', 'AA', 'AB==', 'AA=', ' AAAA', 'AAAA\n', 'AA-_', '===='])
    expect([other, fromBase64(other)]).toEqual([other, undefined])
})

it('base64 for addresses has no padding, and no sign that means something there', () => {
  expect(
    [[1], [1, 2], [1, 2, 3], [251, 255, 191]].map((bytes) => toBase64Url(Uint8Array.from(bytes))),
  ).toEqual(['AQ', 'AQI', 'AQID', '-_-_'])
})
