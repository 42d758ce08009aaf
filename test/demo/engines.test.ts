import { PRODUCT_NAMES, PRODUCTS } from '@stagepass/contract'
import type { Product } from '@stagepass/contract'
import { createEmulator } from '@stagepass/emulator'
import { type Engine, ENGINES, startEngine } from '@stagepass/testing/engines'
import { expect, it, vi } from 'vitest'
import { sentRecording } from './support/recording.js'
import { startBuiltDemo } from './support/startBuiltDemo.js'
import { variablesOf } from './support/startDemo.js'

/*
 * A user's steps through the demo in each engine, as far as every driver can do them. Other tests check more
 * details in Chromium.
 */

const panel = (product: Product): string => `[data-product=${product}]`

/**
 * Not all in WebKitGTK: these products send sound back, and its audio thread sometimes crashes
 * (docs/browsers.md).
 */
const speakingTo = (engine: Engine): readonly Product[] =>
  engine === 'webkit' ? ['stt'] : ['stt', 'vt', 'viva']

/** The statuses of token requests from another page of Ben. Each token reserves five of his minutes. */
async function takeTokens(url: string, count: number): Promise<number[]> {
  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, ...headers },
      body: JSON.stringify(body),
    })
  const signedIn = await post('/api/demo/session', { user: 'ben' }, {})
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const statuses: number[] = []
  for (let taken = 0; taken < count; taken += 1) {
    const response = await post(
      '/api/voice/session-token',
      { usage_type: 'stt' },
      { cookie, 'x-stagepass': '1' },
    )
    statuses.push(response.status)
  }
  return statuses
}

it.each(ENGINES)('the demo does its main job in %s', async (engine) => {
  await using upstream = await createEmulator({ recordFrames: Infinity })
  await using demo = await startBuiltDemo(variablesOf(upstream))
  await using browser = await startEngine(engine)
  const page = await browser.open(demo.url)
  const soundAt = (product: Product): Buffer => {
    const frames = upstream.frames.filter((frame) => frame.product === product).map(({ data }) => data)
    return Buffer.concat(frames.filter((data) => typeof data !== 'string'))
  }
  const keysOf = (product: Product): readonly string[] =>
    upstream.sockets.filter((socket) => socket.product === product).map(({ sessionKey }) => sessionKey)
  const tokensOf = (product: Product): readonly string[] =>
    upstream.tokens
      .all()
      .filter((token) => token.product === product)
      .map(({ sessionKey }) => sessionKey)

  // Gets a token for each product, and opens its socket with it.
  for (const product of PRODUCT_NAMES) {
    await page.press(`Connect ${PRODUCTS[product].name}`)
    await page.waitFor(`${panel(product)} [data-status="open"]`)
    expect(keysOf(product)).toEqual(tokensOf(product))
  }

  // Speaks, and reads the text.
  for (const product of speakingTo(engine)) await page.press('Send recording', panel(product))
  for (const product of speakingTo(engine)) {
    await vi.waitFor(() => expect(soundAt(product).length).toBe(sentRecording(product).length), {
      timeout: 60_000,
    })
    expect(soundAt(product).equals(sentRecording(product)), `${product} got the recording`).toBe(true)
  }
  await page.waitFor(panel('stt'), 'Good morning everyone')
  if (engine !== 'webkit') await page.waitFor(panel('vt'), 'Buenos días a todos')

  // Renews a token: the stream changes to a socket with the new token.
  await page.press('Renew now', panel('stt'))
  await vi.waitFor(() => expect(tokensOf('stt')).toHaveLength(2))
  await vi.waitFor(() => expect(keysOf('stt')).toEqual(tokensOf('stt').slice(1)))
  await page.waitFor(`${panel('stt')} [data-status="open"]`)

  // Reads a meeting.
  await page.pressFirst('li:nth-child(3) > .meeting')
  await page.waitFor('.meeting-detail .facts')

  // Another user gets his own token for a product that he may use, and signs out.
  const ofAda = tokensOf('stt')
  await page.pressFirst('.user-menu > button')
  await page.pressFirst('.popover:popover-open button')
  await page.waitFor('.user-menu > button', 'Ben')
  await page.waitFor(`${panel('stt')} [data-status="open"]`)
  await page.waitFor(panel('vt'), 'Ben may not use this product.')
  const ofBen = keysOf('stt')
  expect(ofBen).toHaveLength(1)
  expect(ofAda).not.toContain(ofBen[0])

  // His minutes decrease while he speaks. Another page of his uses up the rest: then no new token is minted,
  // but his current one stays valid.
  const minutes = `${panel('stt')} .token + .token .numbers`
  await page.press('Send recording', panel('stt'))
  await page.waitFor(minutes, 'of 30:00 used today')
  // From 0:10 to 0:19.
  await page.waitFor(minutes, '0:1')
  expect(await takeTokens(demo.url, 5)).toEqual([200, 200, 200, 200, 200])
  await page.press('Renew now', panel('stt'))
  await page.waitFor(panel('stt'), 'USAGE_EXHAUSTED')
  await page.waitFor(panel('stt'), 'Your minutes for today are used up.')
  await page.waitFor(`${panel('stt')} [data-status="open"]`)
  expect(keysOf('stt')).toEqual(ofBen)
  await page.pressFirst('.user-menu > button')
  await page.press('Sign out')
  await page.waitFor('h1', 'You are signed out')
  await vi.waitFor(() => expect(upstream.sockets).toEqual([]))
})
