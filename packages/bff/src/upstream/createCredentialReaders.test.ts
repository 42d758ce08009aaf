import { expect, it } from 'vitest'
import type { Clock } from '../base/platform.js'
import { createCredentialReaders } from './createCredentialReaders.js'
import { createSecretReader } from './createSecretReader.js'

const clock: Clock = { now: () => 0, after: () => () => {} }

/** Reads a credential of a function for a user, as a meetings request does. */
function setup() {
  const asked: string[] = []
  let current = ''
  const secret = (): string => {
    asked.push(current)
    return `key-of-${current}`
  }
  const readerOf = createCredentialReaders((found) =>
    createSecretReader({
      name: 'credential',
      secret: found,
      timeoutMs: 1_000,
      clock,
      emit: undefined,
      hold: (work) => work,
      note: () => undefined,
    }),
  )
  async function read(user: string, found = secret): Promise<string> {
    current = user
    return readerOf(found, user).read(new AbortController().signal)
  }
  return { read, asked }
}

it('calls the secret store once for each of 10,000 users', async () => {
  const { read, asked } = setup()
  for (let round = 0; round < 2; round += 1) {
    for (let user = 0; user < 10_000; user += 1) expect(await read(`u${user}`)).toBe(`key-of-u${user}`)
  }
  expect(asked).toHaveLength(10_000)
})

it('keeps the users who return, while 20,000 others come once', async () => {
  const { read, asked } = setup()
  for (let other = 0; other < 20_000; other += 1) {
    await read(`once${other}`)
    await read(`regular${other % 1_000}`)
  }
  expect(asked.filter((user) => user.startsWith('regular'))).toHaveLength(1_000)
  await read('once0')
  expect(asked.filter((user) => user === 'once0')).toHaveLength(2)
})

it('keeps the readers of two functions apart', async () => {
  const { read, asked } = setup()
  await read('ada')
  expect(await read('ada', () => 'other')).toBe('other')
  await read('ada')
  expect(asked).toEqual(['ada'])
})
