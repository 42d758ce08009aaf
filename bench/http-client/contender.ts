import { Agent, request as nodeRequest, type ServerResponse } from 'node:http'
import { Pool } from 'undici'
import { serve } from '../race/serve.js'

/*
 * One outbound client behind a minimal server: `contender.ts <name> <upstream>`. Each passes on the text of
 * the token response.
 */

const [name = '', upstream = ''] = process.argv.slice(2)
const path = '/v2/sdk/tokens/session'
const headers = { authorization: 'api-key sk_0123456789abcdef', 'content-type': 'application/json' }

type Send = (body: string, done: (status: number, text: string) => void) => void

function dispatch(): Send {
  const pool = new Pool(upstream, { connections: 128 })
  return (body, done) => {
    let status = 0
    let text = ''
    pool.dispatch(
      { method: 'POST', path, headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, code) => void (status = code),
        onResponseData: (_controller, chunk) => void (text += chunk.toString()),
        onResponseEnd: () => done(status, text),
        onResponseError: () => done(502, ''),
      },
    )
  }
}

function request(): Send {
  const pool = new Pool(upstream, { connections: 128 })
  return (body, done) =>
    void pool
      .request({ method: 'POST', path, headers, body })
      .then(async (answer) => done(answer.statusCode, await answer.body.text()))
}

function globalFetch(): Send {
  return (body, done) =>
    void fetch(upstream + path, { method: 'POST', headers, body }).then(async (answer) =>
      done(answer.status, await answer.text()),
    )
}

function agent(): Send {
  const keepAlive = new Agent({ keepAlive: true, maxSockets: 128 })
  return (body, done) => {
    const sent = nodeRequest(
      upstream + path,
      {
        method: 'POST',
        agent: keepAlive,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      },
      (answer) => {
        let text = ''
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
        answer.on('end', () => done(answer.statusCode ?? 0, text))
      },
    )
    sent.end(body)
  }
}

const clients: Record<string, () => Send> = { dispatch, request, globalFetch, agent }
const send = clients[name]?.()
if (!send) throw new Error(`There is no client "${name}".`)

const answer = (res: ServerResponse) => (status: number, text: string) => {
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  res.end(text)
}
serve((req, res) => {
  let body = ''
  req.on('data', (chunk: Buffer) => (body += chunk.toString()))
  req.on('end', () => send(body, answer(res)))
})
