import type { WireEvent } from '@stagepass/emulator/browser'
import { expect, it } from 'vitest'
import { createWireLog } from '../../examples/playground/src/wire/createWireLog.js'

const request = (id: number): WireEvent => ({
  type: 'request',
  id,
  from: 'page',
  method: 'GET',
  url: 'https://bff/api/voice/tags',
  headers: {},
  body: '',
  at: id,
})

it('keeps the last hundred lines', () => {
  const log = createWireLog()
  for (let id = 1; id <= 150; id += 1) log.add(request(id))
  expect(log.entries().map(({ at }) => at)).toEqual(Array.from({ length: 100 }, (_, index) => index + 51))
})

it('shows a response in the line of its request, and nothing if that line was cleared', () => {
  const log = createWireLog()
  log.add(request(1))
  log.add({ type: 'response', id: 1, status: 503, headers: {}, body: '{}', at: 31 })
  expect(log.entries()).toMatchObject([{ result: '503 in 30 ms', tone: 'bad' }])
  log.add(request(2))
  log.clear()
  log.add({ type: 'response', id: 2, status: 200, headers: {}, body: '{}', at: 40 })
  expect(log.entries()).toEqual([])
})

it('shows consecutive sound messages in one line', () => {
  const log = createWireLog()
  const sound = (from: 'page' | 'service'): WireEvent => ({
    type: 'message',
    socket: 1,
    from,
    data: new Uint8Array(640),
    at: 0,
  })
  for (const from of ['page', 'page', 'page', 'service', 'page'] as const) log.add(sound(from))
  expect(log.entries().map(({ way, result }) => `${way} ${result}`)).toEqual([
    'page → service 3 messages',
    'service → page 1 message',
    'page → service 1 message',
  ])
})

it.each([
  ['a header', { headers: { authorization: 'api-key SECRET-KEY', 'x-stagepass': '1' } }],
  ['another header', { headers: { authorization: 'Bearer SECRET-KEY' } }],
  ['a body', { body: '{"session_key":"SECRET-KEY"}' }],
  ['an address', { url: 'wss://service/stt?authorization=api-key%20SECRET-KEY' }],
])('shortens the secret in %s', (_name, part) => {
  const log = createWireLog()
  log.add({ ...(request(1) as object), ...part } as WireEvent)
  expect(JSON.stringify(log.entries())).toContain('SECR…')
  expect(JSON.stringify(log.entries())).not.toContain('SECRET')
})
