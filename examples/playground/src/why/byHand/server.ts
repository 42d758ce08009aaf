import type { Request, Router } from 'express'

export interface Service {
  readonly fetch: typeof globalThis.fetch
  readonly apiKey: string
  readonly baseUrl: string
  readonly streamingUrl: string
  readonly meetingsUrl: string
  readonly currentUser: (
    req: Request,
  ) => { readonly meetingsKey: string } | null
}

export function mount(app: Router, service: Service): void {
  const {
    fetch,
    apiKey,
    baseUrl,
    streamingUrl,
    meetingsUrl,
    currentUser,
  } = service

  app.post('/api/token', async (req, res) => {
    if (!currentUser(req)) {
      res.sendStatus(401)
      return
    }
    const response = await fetch(`${baseUrl}/v2/sdk/tokens/session`, {
      method: 'POST',
      headers: {
        authorization: `api-key ${apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ usage_type: 'stt', expiration_ttl: 5 }),
    })
    if (!response.ok) {
      res.sendStatus(502)
      return
    }
    const { data } = (await response.json()) as {
      data: { session_key: string; expires_at: string }
    }
    res.json({
      token: data.session_key,
      expiresAt: data.expires_at,
      url: `${streamingUrl}/stt`,
    })
  })

  app.get('/api/meetings', async (req, res) => {
    const user = currentUser(req)
    if (!user) {
      res.sendStatus(401)
      return
    }
    const { q } = req.query
    const query = new URLSearchParams({
      q: typeof q === 'string' ? q : '',
      fields: 'title',
    })
    const response = await fetch(
      `${meetingsUrl}/meetings?${query.toString()}`,
      {
        headers: { authorization: `Bearer ${user.meetingsKey}` },
      },
    )
    res.status(response.status).json(await response.json())
  })
}
