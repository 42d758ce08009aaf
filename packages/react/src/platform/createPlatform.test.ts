import { stubNavigator } from '@stagepass/testing/stubNavigator'
import { afterEach, expect, it, vi } from 'vitest'
import { createPlatform } from './createPlatform.js'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

it('reports every way in which a page comes back, and none after unsubscribing', () => {
  const heard: string[] = []
  const undo = createPlatform().onWake((reason) => heard.push(reason))
  const comeBack = (): void => {
    document.dispatchEvent(new Event('visibilitychange'))
    document.dispatchEvent(new Event('resume'))
    for (const name of ['pageshow', 'focus', 'online']) window.dispatchEvent(new Event(name))
  }
  comeBack()
  expect(heard).toEqual(['visible', 'resume', 'pageshow', 'focus', 'online'])
  undo()
  comeBack()
  expect(heard).toHaveLength(5)
})

it('does not report a page that is being hidden', () => {
  const heard: string[] = []
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  const undo = createPlatform().onWake((reason) => heard.push(reason))
  document.dispatchEvent(new Event('visibilitychange'))
  expect(heard).toEqual([])
  undo()
})

it('reports at once, and at each change, whether the page is visible', () => {
  const heard: boolean[] = []
  const undo = createPlatform().watchVisibility?.((isVisible) => heard.push(isVisible))
  const state = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  document.dispatchEvent(new Event('visibilitychange'))
  state.mockReturnValue('visible')
  document.dispatchEvent(new Event('visibilitychange'))
  undo?.()
  document.dispatchEvent(new Event('visibilitychange'))
  expect(heard).toEqual([true, false, true])
})

it('reports a page that is left or frozen', () => {
  const heard: string[] = []
  const undo = createPlatform().onSuspend((reason) => heard.push(reason))
  document.dispatchEvent(new Event('freeze'))
  window.dispatchEvent(new Event('pagehide'))
  window.dispatchEvent(new Event('offline'))
  expect(heard).toEqual(['freeze', 'pagehide', 'offline'])
  undo()
})

it('unsubscribes even if the globals of the page are gone, as after a test', () => {
  const heard: string[] = []
  const undo = createPlatform().onWake((reason) => heard.push(reason))
  vi.stubGlobal('removeEventListener', undefined)
  undo()
  window.dispatchEvent(new Event('focus'))
  expect(heard).toEqual([])
})

it("returns the browser's state of the network", () => {
  expect(createPlatform().isOnline()).toBe(true)
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  expect(createPlatform().isOnline()).toBe(false)
})

// Files of tests share a page: a request of one may end while another has its own devices.
it('reads the state of the network beside the devices of a test', () => {
  stubNavigator({ mediaDevices: 'of the test' })
  expect(navigator.mediaDevices).toBe('of the test')
  expect(createPlatform().isOnline()).toBe(true)
})
