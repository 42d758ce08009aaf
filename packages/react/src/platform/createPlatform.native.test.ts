import { native } from '@stagepass/testing/nativePhone'
import { focusManager, onlineManager } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createPlatform } from './createPlatform.native.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
})

afterEach(() => {
  vi.useRealTimers()
  native.setState('active')
  focusManager.setFocused(undefined)
  onlineManager.setOnline(true)
})

/** A platform whose events are noted. */
function listen() {
  const heard: string[] = []
  const platform = createPlatform()
  const unsubscribes = [
    platform.onWake((reason) => heard.push(reason)),
    platform.onSuspend((reason) => heard.push(reason)),
    platform.watchVisibility?.((isVisible) => heard.push(isVisible ? 'shown' : 'hidden')),
  ]
  return { heard, platform, stop: () => unsubscribes.forEach((unsubscribe) => unsubscribe?.()) }
}

it('reports the background after 30 s, and a return as certain only after that', () => {
  const { heard, stop } = listen()
  native.setState('background')
  vi.advanceTimersByTime(29_999)
  native.setState('active')
  expect(heard).toEqual(['shown', 'hidden', 'visible', 'shown'])
  native.setState('background')
  vi.advanceTimersByTime(30_000)
  native.setState('active')
  expect(heard.slice(4)).toEqual(['hidden', 'background', 'resume', 'shown'])
  stop()
})

it('reports both at the return if the phone had stopped the application', () => {
  const { heard, stop } = listen()
  native.setState('background')
  // The timer does not fire, and the monotonic clock stands still.
  vi.setSystemTime(Date.now() + 600_000)
  native.setState('active')
  vi.advanceTimersByTime(60_000)
  expect(heard).toEqual(['shown', 'hidden', 'background', 'resume', 'shown'])
  stop()
})

it('follows the managers of TanStack Query if the application has connected them', () => {
  const { heard, platform, stop } = listen()
  onlineManager.setOnline(false)
  expect(platform.isOnline()).toBe(false)
  onlineManager.setOnline(true)
  focusManager.setFocused(false)
  focusManager.setFocused(true)
  expect(heard).toEqual(['shown', 'offline', 'online', 'hidden', 'visible', 'shown'])
  stop()
})

it('reports the network in the background too, for streams that are kept', () => {
  const { heard, stop } = listen()
  native.setState('background')
  vi.advanceTimersByTime(40_000)
  onlineManager.setOnline(false)
  onlineManager.setOnline(true)
  expect(heard).toEqual(['shown', 'hidden', 'background', 'offline', 'online'])
  stop()
})

it('begins in the background if the application does, and reports nothing after it is unsubscribed', () => {
  native.setState('background')
  const { heard, stop } = listen()
  vi.advanceTimersByTime(30_000)
  expect(heard).toEqual(['hidden', 'background'])
  stop()
  native.setState('active')
  onlineManager.setOnline(false)
  vi.advanceTimersByTime(60_000)
  expect(heard).toHaveLength(2)
  expect(focusManager.hasListeners()).toBe(false)
})
