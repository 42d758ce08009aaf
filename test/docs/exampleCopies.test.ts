import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

// Each example is complete in its folder, so what several need is there several times.
it.each([
  ['hono/login.ts', ['next-app/lib/login.ts', 'react-router/app/login.server.ts', 'workers/login.ts']],
  ['hono/app.ts', ['workers/app.ts']],
  ['hono/voice.ts', ['workers/voice.ts']],
  [
    'express-server/with-emulator.js',
    [
      'hono/with-emulator.js',
      'next-app/with-emulator.js',
      'react-router/with-emulator.js',
      'workers/with-emulator.js',
    ],
  ],
  ['next-app/app/Workplace.tsx', ['react-router/app/Workplace.tsx']],
  ['next-app/app/SignIn.tsx', ['react-router/app/SignIn.tsx']],
  ['next-app/app/filters.ts', ['react-router/app/filters.ts']],
])('%s is the same in every example that has it', (name, copies) => {
  const read = (file: string): string =>
    readFileSync(new URL(`../../examples/${file}`, import.meta.url), 'utf8')
  const differing = copies.filter((copy) => read(copy) !== read(name))
  expect(differing).toEqual([])
})
