#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { WebSocket, WebSocketServer } from 'ws'

/*
 * Playwright starts this file as if it were Firefox. It starts the Firefox at `FIREFOX_PATH`, and forwards
 * the messages of WebDriver BiDi between the two. Firefox ESR lacks one command that Playwright sends for
 * every page. This file answers it.
 */

const MISSING = 'emulation.setMediaFeaturesOverride'

const firefox = spawn(process.env.FIREFOX_PATH ?? 'firefox-esr', process.argv.slice(2), {
  stdio: ['ignore', 'inherit', 'pipe'],
})
firefox.on('error', ({ message }) => {
  process.stderr.write(`Failed to start Firefox: ${message}. Install firefox-esr or set FIREFOX_PATH.\n`)
  process.exit(1)
})
firefox.on('exit', (code) => process.exit(code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => firefox.kill('SIGTERM'))

let output = ''
firefox.stderr.setEncoding('utf8').on('data', function read(text) {
  output += text
  const address = /^WebDriver BiDi listening on (ws:\S+)$/m.exec(output)?.[1]
  if (!address) return
  firefox.stderr.off('data', read)
  firefox.stderr.pipe(process.stderr)
  listen(address)
})

/** @param {string} address where Firefox listens */
function listen(address) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.on('listening', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    // Playwright waits for this line.
    process.stderr.write(`WebDriver BiDi listening on ws://127.0.0.1:${port}\n`)
  })
  server.on('connection', (client) => connect(client, address))
}

/**
 * @param {WebSocket} client
 * @param {string} address
 */
function connect(client, address) {
  const browser = new WebSocket(`${address}/session`, { perMessageDeflate: false, maxPayload: 0 })
  /** @type {string[]} */
  const waiting = []
  browser.on('open', () => {
    for (const message of waiting.splice(0)) browser.send(message)
  })
  browser.on('message', (data) => client.send(textOf(data)))
  client.on('message', (data) => {
    const message = textOf(data)
    const { id, method } = JSON.parse(message)
    if (method === MISSING) client.send(JSON.stringify({ type: 'success', id, result: {} }))
    else if (browser.readyState === WebSocket.OPEN) browser.send(message)
    else waiting.push(message)
  })
  client.on('close', () => browser.close())
  browser.on('close', () => client.close())
  browser.on('error', () => client.close())
}

/** @param {import('ws').RawData} data */
function textOf(data) {
  return Buffer.isBuffer(data)
    ? data.toString('utf8')
    : Buffer.concat([data].flat().map((part) => Buffer.from(part))).toString('utf8')
}
