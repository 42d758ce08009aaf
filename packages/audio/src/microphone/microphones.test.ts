import { fakeMicrophones } from '@stagepass/testing/fakeMicrophones'
import { expect, it } from 'vitest'
import { watchDevices } from './microphones.js'

it('shows the newest list, although the browser answers an earlier question later', async () => {
  using devices = fakeMicrophones('built-in')
  const lists: string[][] = []
  const stop = watchDevices('audioinput', (list) => lists.push(list.map(({ deviceId }) => deviceId)))
  await devices.pass(100)
  const answerFirst = devices.holdLists()
  devices.plug('headset')
  devices.tell()
  const answerSecond = devices.holdLists()
  devices.unplug('headset')
  devices.tell()
  answerSecond()
  await devices.pass(100)
  answerFirst()
  await devices.pass(100)
  expect(lists).toEqual([['built-in'], ['built-in']])
  stop()
})
