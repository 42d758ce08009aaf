import { getEventListeners } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { onAbort } from './onAbort.js'

it('has one listener on a signal, however many listen', () => {
  const { signal } = new AbortController()
  const unsubscribes = Array.from({ length: 30 }, (_, nth) => onAbort(signal, () => nth))
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  for (const unsubscribe of unsubscribes) unsubscribe()
  onAbort(signal, () => undefined)
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
})

it('calls each in order, once, and none that has unsubscribed', () => {
  const abort = new AbortController()
  const called: string[] = []
  const { signal } = abort
  onAbort(signal, () => called.push('first'))
  const unsubscribe = onAbort(signal, () => called.push('second'))
  onAbort(signal, () => called.push('third'))
  unsubscribe()
  abort.abort()
  abort.abort()
  onAbort(signal, () => called.push('late'))
  expect(called).toEqual(['first', 'third'])
})

it('reports the error of a listener, and calls the next', async () => {
  const abort = new AbortController()
  const uncaught = new Promise((resolve) => {
    const others = process.rawListeners('uncaughtException') as NodeJS.UncaughtExceptionListener[]
    process.removeAllListeners('uncaughtException').once('uncaughtException', resolve)
    onTestFinished(() => others.forEach((other) => process.on('uncaughtException', other)))
  })
  let isCalled = false
  onAbort(abort.signal, () => {
    throw new Error('mine')
  })
  onAbort(abort.signal, () => (isCalled = true))
  abort.abort()
  expect(isCalled).toBe(true)
  expect(await uncaught).toMatchObject({ message: 'mine' })
})
