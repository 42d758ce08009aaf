import { serve } from './serve.js'

// Only the response of the token endpoint, without its work, so that the upstream is not the bottleneck.
serve((req, res) => {
  let body = ''
  req.on('data', (chunk: Buffer) => (body += chunk.toString()))
  req.on('end', () => {
    const { usage_type } = JSON.parse(body) as { usage_type: string }
    const answer = JSON.stringify({
      code: 0,
      message: 'Success',
      data: {
        session_key: 'st_0123456789012345678901234567890123456789',
        expires_at: new Date(Date.now() + 180 * 60_000).toISOString(),
        key_id: 4711,
        status: 'LICENSE_VALID',
        type: 'session',
        usage_type,
      },
      req_id: 'req_00000001',
    })
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
    res.end(answer)
  })
})
