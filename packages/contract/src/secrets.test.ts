import { expect, it } from 'vitest'
import { formsOfSecret } from './secrets.js'

const UUID = '0b9c2a54-1d3e-4f60-8a71-92b3c4d5e6f7'

it.each([
  ['with and without dashes', UUID, UUID.replaceAll('-', '')],
  ['without dashes and with them', UUID.replaceAll('-', ''), UUID],
  ['in upper case', UUID, UUID.toUpperCase()],
  ['in base64 for addresses', 'a~~b?keys', Buffer.from('a~~b?keys').toString('base64url')],
  ['percent-encoded', 'a+b/c=', 'a%2Bb%2Fc%3D'],
  ['in hexadecimal', 'secret', '736563726574'],
])('has a secret %s', (_how, secret, form) => {
  expect(formsOfSecret(secret)).toContain(form.replace(/=+$/, ''))
})

it('has no short form, and each only once', () => {
  for (const secret of ['', 'a', 'abcd', UUID]) {
    const forms = formsOfSecret(secret)
    expect(new Set(forms).size).toBe(forms.length)
    expect(forms.filter(({ length }) => length < 4)).toEqual([])
  }
})
