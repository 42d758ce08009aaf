interface Asked {
  readonly path: string
  readonly credentials: unknown
  readonly authorization: string | undefined
}

/** A `fetch` that responds as a BFF: a token of five minutes, counted up, and the check of a handshake. */
export function createScriptedBff() {
  const asked: Asked[] = []
  let tokens = 0
  let isSilent = false
  let verdict: object = { ok: true }

  const bodyOf = (path: string): object => {
    if (path === '/handshake-check') return verdict
    tokens += 1
    const expires_at = new Date(Date.now() + 300_000).toISOString()
    return {
      session_key: `st_secret_${tokens}`,
      stream_url: 'wss://service.test/stt',
      expires_in_ms: 300_000,
      expires_at,
      type: 'session',
      usage_type: 'stt',
    }
  }

  return {
    asked,
    count: (path: string): number => asked.filter((one) => one.path === path).length,
    setSilent(silent: boolean): void {
      isSilent = silent
    },
    setVerdict(next: object): void {
      verdict = next
    },
    fetch: (
      url: string,
      init: { credentials?: unknown; headers: Record<string, string> },
    ): Promise<object> => {
      const path = url.replace('https://bff.test/api/voice', '')
      asked.push({ path, credentials: init.credentials, authorization: init.headers['authorization'] })
      if (isSilent) return new Promise(() => {})
      const text = JSON.stringify(bodyOf(path))
      const headers = { get: () => null }
      return Promise.resolve({ ok: true, status: 200, headers, text: () => Promise.resolve(text) })
    },
  }
}
