import { PRODUCTS } from '@stagepass/contract'
import type { Product } from '@stagepass/contract'
import { createEmulator } from '@stagepass/emulator'
import { type Engine, ENGINES, startEngine } from '@stagepass/testing/engines'
import { expect, it, vi } from 'vitest'
import { sentRecording, type SoundProduct } from './support/recording.js'
import { startBuiltDemo } from './support/startBuiltDemo.js'
import { variablesOf } from './support/startDemo.js'

/*
 * A user's steps through the demo in each engine, as far as every driver can do them. Other tests check more
 * details in Chromium.
 */

const card = (product: Product): string => `[data-product=${product}]`
const tab = (name: string): string => `#stagepass-tab-${name}`
const TABS = { stt: 'captions', tts: 'read-aloud', vt: 'translation', viva: 'isolation' } as const
/** A button of a card, by its words. */
const of = (product: Product, words: string): string => `${words}, ${PRODUCTS[product].name}`

/** These send sound back, and WebKitGTK's audio thread crashes now and then (docs/support.md). */
const speakingTo = (engine: Engine): readonly SoundProduct[] =>
  engine === 'webkit' ? ['stt'] : ['stt', 'vt', 'viva']

/** The statuses of token requests from another page of Ben. Each token reserves five of his minutes. */
async function takeTokens(url: string, count: number): Promise<number[]> {
  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, ...headers },
      body: JSON.stringify(body),
    })
  const signedIn = await fetch(`${url}/api/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url },
    body: new URLSearchParams({ user: 'ben' }),
  })
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

  // Takes a token for each product, and opens its socket with it. Speaks, and reads what was said.
  if (engine !== 'webkit') {
    await page.pressFirst(tab(TABS.tts))
    await page.press(of('tts', 'Speak'))
  }
  for (const product of speakingTo(engine)) {
    await page.pressFirst(tab(TABS[product]))
    await page.press(of(product, 'Start'))
    await page.waitFor(`${card(product)} .status[data-status="open"]`)
    expect(keysOf(product)).toEqual(tokensOf(product))
  }
  for (const product of speakingTo(engine)) {
    await page.pressFirst(tab(TABS[product]))
    await vi.waitFor(() => expect(soundAt(product).length).toBe(sentRecording(product).length), {
      timeout: 60_000,
    })
    expect(soundAt(product).equals(sentRecording(product)), `${product} got the recording`).toBe(true)
  }
  if (engine !== 'webkit') {
    await page.pressFirst(tab(TABS.tts))
    await page.waitFor(`${card('tts')} .status[data-status="open"]`)
    await page.pressFirst(tab(TABS.vt))
    await page.waitFor(card('vt'), 'Buenos días a todos')
  }
  await page.pressFirst(tab(TABS.stt))
  await page.waitFor(card('stt'), 'Good morning everyone')

  // Renews a token: the stream goes over to a socket on the new one.
  await page.press(of('stt', 'Renew now'))
  await vi.waitFor(() => expect(tokensOf('stt')).toHaveLength(2))
  await vi.waitFor(() => expect(keysOf('stt')).toEqual(tokensOf('stt').slice(1)))
  await page.waitFor(`${card('stt')} .status[data-status="open"]`)

  // Reads a meeting.
  await page.pressFirst(tab('meetings'))
  await page.pressFirst('.stagepass-meetings-list li:nth-child(3) h4 button')
  await page.waitFor('.stagepass-meetings-list li:nth-child(3)', 'Source')

  // Nothing opens by itself for another user. He has a token of his own, for what he may use, and signs out.
  const ofAda = tokensOf('stt')
  await page.pressFirst('[popovertarget=user-menu]')
  await page.pressFirst('#user-menu .user-choice')
  await page.waitFor('[popovertarget=user-menu]', 'Ben')
  await vi.waitFor(() => expect(upstream.sockets).toEqual([]))
  expect(tokensOf('stt')).toEqual(ofAda)

  // His minutes go while he speaks. Another page of his takes the rest: no token follows, and his lives on.
  await page.pressFirst(tab(TABS.stt))
  await page.press(of('stt', 'Start'))
  await page.waitFor(`${card('stt')} .status[data-status="open"]`)
  const ofBen = keysOf('stt')
  expect(ofBen).toHaveLength(1)
  expect(ofAda).not.toContain(ofBen[0])
  const minutes = '.stagepass-usage-meter'
  await page.waitFor(minutes, 'of 30:00 used')
  // From 0:10 to 0:19.
  await page.waitFor(minutes, '0:1')
  expect(await takeTokens(demo.url, 5)).toEqual([200, 200, 200, 200, 200])
  await page.press(of('stt', 'Renew now'))
  await page.waitFor('.picture', 'USAGE_EXHAUSTED')
  await page.waitFor(`${card('stt')} .status[data-status="open"]`)
  expect(keysOf('stt')).toEqual(ofBen)
  await page.pressFirst('[popovertarget=user-menu]')
  await page.press('Sign out')
  await page.waitFor('h1', 'You are signed out')
  await vi.waitFor(() => expect(upstream.sockets).toEqual([]))
})
