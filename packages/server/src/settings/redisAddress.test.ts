import { startRedis, startTcpProxy } from '@stagepass/testing'
import { createClient } from 'redis'
import { describe, expect, it } from 'vitest'
import { readRedisAddress } from './redisAddress.js'

const plain = { host: 'redis.example.com', port: 6_379, tls: false }

describe('an address of Redis', () => {
  it.each<[string, object]>([
    ['redis://redis.example.com', { socket: plain }],
    ['REDISS://redis.example.com:6380', { socket: { host: 'redis.example.com', port: 6_380, tls: true } }],
    ['redis://redis.example.com/', { socket: plain }],
    ['redis://redis.example.com/2', { socket: plain, database: 2 }],
    ['redis://redis.example.com:6379/0?protocol=3', { socket: plain, database: 0 }],
    ['redis://[::1]:6380/1', { socket: { host: '::1', port: 6_380, tls: false }, database: 1 }],
    ['redis://ada@redis.example.com', { socket: plain, username: 'ada' }],
    ['redis://ada:pass@redis.example.com', { socket: plain, username: 'ada', password: 'pass' }],
  ])('%s', (text, address) => {
    expect(readRedisAddress(text)).toEqual(address)
  })

  it.each([
    ['p/a?s#s', 'p/a?s#s'],
    ['p@ss:w@rd', 'p@ss:w@rd'],
    ['100%', '100%'],
    ['%zz%', '%zz%'],
    ['a+b/c==', 'a+b/c=='],
    ['p%2Fa%23s%25', 'p/a#s%'],
    ['[x]{y}|^`"', '[x]{y}|^`"'],
    ['é€', 'é€'],
  ])('the password %s works, encoded or not', (written, password) => {
    expect(readRedisAddress(`redis://:${written}@redis.example.com/3`)).toEqual({
      socket: plain,
      password,
      database: 3,
    })
  })

  it.each([
    ['redis.example.com:6379', 'is not an address of redis: or rediss:.'],
    ['http://redis.example.com', 'is not an address of redis: or rediss:.'],
    ['redis://', 'has no host name'],
    ['redis://:pass@', 'has no host name'],
    ['redis://:pass@redis.example.com/0#x', 'has no host name'],
    ['redis://redis.example.com:70000', 'has a port above 65535'],
    ['redis://redis.example.com:0', 'has a port above 65535'],
    ['redis://redis.example.com/cache', 'has a database that is not a number.'],
    ['redis://redis.example.com/0/1', 'has a database that is not a number.'],
    ['redis://redis.example.com/-1', 'has a database that is not a number.'],
    ['redis://:pass@redis.example.com\r', 'contains a line break'],
  ])('%j is refused with a remedy, without the password', (text, problem) => {
    const told = readRedisAddress(text)
    expect(told).toContain(problem)
    expect(told).not.toContain(':pass@')
  })
})

it('a Redis with such a password and database is used', async () => {
  await using redis = await startRedis()
  const password = 'p/a#s%s@w?rd'
  await using proxy = await startTcpProxy(redis.socketPath)
  const admin = await redis.connect()
  await admin.configSet('requirepass', password)
  const address = readRedisAddress(`redis://:${password}@127.0.0.1:${proxy.port}/3`)
  expect(address).toBeTypeOf('object')
  const client = createClient({ ...(typeof address === 'object' && address) })
  await client.connect()
  expect(await client.sendCommand(['CLIENT', 'INFO'])).toContain(' db=3 ')
  client.destroy()
})
