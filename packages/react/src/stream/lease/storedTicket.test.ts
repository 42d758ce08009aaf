import { beforeEach, expect, it } from 'vitest'
import { setup, setupQueued } from './leasePage.test.kit.js'

// A page of another file may have left its place, because the files share the document.
beforeEach(() => sessionStorage.clear())

it('keeps its place through a reload, and a duplicated tab has none', async () => {
  const { voice, sessions } = await setupQueued()
  expect(sessionStorage).toHaveLength(0)
  voice.suspend('pagehide')
  expect(sessionStorage).toHaveLength(1)
  const loaded = setup(4, 4)
  loaded.sessions.join('another page', 'session-1')
  await loaded.voice.advance(50)
  expect(sessionStorage).toHaveLength(0)
  expect(loaded.stream.snapshot()).toMatchObject({ status: 'queued', queue: { place: 2, of: 2 } })
  expect(loaded.sessions.queue).toEqual(['another page', 'session-1'])
  // A page of the back-forward cache has never left.
  voice.wake('pageshow')
  await voice.advance(1_000)
  expect([sessionStorage.length, sessions.queue]).toEqual([0, ['session-1']])
})
