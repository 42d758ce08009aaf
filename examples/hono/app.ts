import { Hono } from 'hono'
import { html } from 'hono/html'
import { signIn, signOut, userOf } from './login.js'
import { bff } from './voice.js'

export const app = new Hono()
app.all('/api/voice/*', (c) => bff.fetch(c.req.raw)) // the one line that mounts Stagepass
app.post('/login', (c) => signIn(c.req.raw))
app.post('/logout', (c) => signOut(c.req.raw))
app.get('/', (c) => c.html(pageFor(userOf(c.req.header('cookie')), c.req.query('failed') !== undefined)))

function pageFor(user: string | undefined, failed: boolean) {
  return html`<!doctype html>
    <html lang="en">
      <title>Stagepass on Hono</title>
      ${user === undefined ? signInForm(failed) : workplace(user)}
    </html>`
}

function signInForm(failed: boolean) {
  return html`<form method="post" action="/login">
    ${failed && html`<p role="alert">User or password is wrong.</p>`}
    <label>User <input name="user" autocomplete="username" required /></label>
    <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
    <button>Sign in</button>
  </form>`
}

/**
 * Without a framework in the page. With React, use @stagepass/react: it also renews the token and keeps the
 * stream open.
 */
function workplace(user: string) {
  return html`<p>Signed in as ${user}.</p>
    <form method="post" action="/logout"><button>Sign out</button></form>
    <button id="speak" disabled>Speak</button>
    <p role="status">Text-to-Speech is connecting.</p>
    <ul aria-label="Meetings"></ul>
    <script type="module">
      const headers = { 'x-stagepass': '1', 'content-type': 'application/json' }
      const body = JSON.stringify({ usage_type: 'tts' })
      const token = await (await fetch('/api/voice/session-token', { method: 'POST', headers, body })).json()
      const url = token.stream_url + '?authorization=' + encodeURIComponent('api-key ' + token.session_key)
      const socket = new WebSocket(url)
      const speak = document.querySelector('#speak')
      const status = document.querySelector('[role=status]')
      let received = 0
      const show = () => (status.textContent = 'Text-to-Speech is open. Messages received: ' + received)
      speak.onclick = () => socket.send(JSON.stringify({ text: 'Good morning' }))
      socket.onmessage = () => show((received += 1))
      socket.onopen = () => show((speak.disabled = false))
      socket.onclose = () => (status.textContent = 'Text-to-Speech is closed. Reload the page.')

      const { meetings } = await (await fetch('/api/voice/meetings?fields=title', { headers })).json()
      for (const { title } of meetings) {
        const row = document.createElement('li')
        row.textContent = title ?? 'Untitled'
        document.querySelector('ul').append(row)
      }
    </script>`
}
