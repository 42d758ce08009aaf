import { expect, it } from 'vitest'
import { arrivals, openStream } from '../joinStream.test.kit.js'

let beats = 0
const setup = { keepAlive: { message: () => `ping ${(beats += 1)}`, everyMs: 30_000 } }

const heartbeat = (settings = {}, options = {}) => {
  beats = 0
  return openStream({ setup, ...settings }, options)
}

it('is sent while nothing else is sent', async () => {
  const { voice } = heartbeat()
  await voice.advance(95_000)
  expect(arrivals(voice)).toEqual(['ping 1', 'ping 2', 'ping 3'])
})

it('is not sent while something else is sent, and comes a whole time after the last of it', async () => {
  const { voice, stream } = heartbeat()
  for (let second = 0; second < 100; second += 10) {
    await voice.advance(10_000)
    stream.send('speech')
  }
  expect(arrivals(voice)).toEqual(Array.from({ length: 10 }, () => 'speech'))
  await voice.advance(29_000)
  expect(arrivals(voice)).toHaveLength(10)
  await voice.advance(2_000)
  expect(arrivals(voice).slice(10)).toEqual(['ping 1'])
})

it('goes on with the next connection, and stops with the stream', async () => {
  const { voice, stream } = heartbeat({ reconnect: { minDelayMs: 0 } })
  await voice.advance(31_000)
  voice.service.connections[0]?.close(1011)
  await voice.advance(35_000)
  expect(voice.service.connections.map(({ received }) => received)).toEqual([['ping 1'], ['ping 2']])
  stream.close()
  await voice.advance(300_000)
  expect(arrivals(voice)).toHaveLength(2)
})

it('sends nothing by default, and sets no timer', async () => {
  const { voice } = openStream()
  await voice.advance(600_000)
  expect(arrivals(voice)).toEqual([])
})
