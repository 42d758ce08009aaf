import { expect, it } from 'vitest'
import { addressProblem } from './addressProblem.js'

const problemOf = (value: string, scheme: 'https' | 'wss'): string | undefined =>
  addressProblem(URL.canParse(value) ? new URL(value) : undefined, scheme)

it.each([
  ['https://api.example.com/v1', 'https'],
  ['http://localhost:3000/', 'https'],
  ['http://127.8.9.1/', 'https'],
  ['ws://[::1]:8080/', 'wss'],
] as const)('takes %s', (value, scheme) => {
  expect(problemOf(value, scheme)).toBeUndefined()
})

it.each([
  [
    'api.example.com',
    'https',
    'is missing, or is not an absolute address. Use one such as https://api.example.com',
  ],
  ['http://api.example.com', 'https', 'is not encrypted'],
  ['http://127.0.0.1.example.com', 'https', 'is not encrypted'],
  ['ftp://localhost', 'https', 'is not encrypted'],
  ['https://ada:secret@localhost', 'https', 'contains a user name or password. Remove them.'],
  ['https://localhost/?key=secret', 'https', 'contains a query or fragment. Remove it.'],
  ['wss://localhost', 'https', 'begins with wss:. For HTTP requests, use https: instead.'],
  ['http://localhost', 'wss', 'begins with http:. For WebSockets, use ws: instead.'],
] as const)('refuses %s for %s, and does not repeat the address', (value, scheme, sentence) => {
  expect(problemOf(value, scheme)).toContain(sentence)
  expect(problemOf(value, scheme)).not.toContain('secret')
})
