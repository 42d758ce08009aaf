import { startNginx, startStack } from '@stagepass/testing'
import { expect, it } from 'vitest'
import { rawRequest } from '../../rawRequest.test.kit.js'

it('x-stagepass-reason is never sent through an nginx on this machine that forwards the host name', async () => {
  await using stack = await startStack()
  await using nginx = await startNginx({ target: stack.origin, directives: 'proxy_set_header Host $host;' })
  const headers = { host: 'app.example.com' }
  const { status, headers: answered } = await rawRequest(`http://${nginx.host}`, {
    path: '/api/voice/tags',
    headers,
  })
  expect(status).toBe(403)
  expect(answered).not.toHaveProperty('x-stagepass-reason')
})
