import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import type { Browser } from '../Browser.js'

export function Captions({
  fetch,
  WebSocket,
  listen,
}: Browser): ReactNode {
  const [status, setStatus] = useState('connecting')
  const [text, setText] = useState('')
  const [mute, setMute] = useState<() => void>()
  const socket = useRef<WebSocket>(null)

  useEffect(() => {
    let live:
      { token: string; expiresAt: string; url: string } | undefined
    let [hasLeft, attempt] = [false, 0]
    let renewal: ReturnType<typeof setTimeout>,
      retry: ReturnType<typeof setTimeout>

    async function renew(): Promise<void> {
      const response = await fetch('/api/token', { method: 'POST' })
      if (!response.ok)
        throw new Error(`POST /api/token: ${response.status}`)
      live = JSON.parse(await response.text()) as NonNullable<
        typeof live
      >
      // A minute before the token expires.
      const inMs = Date.parse(live.expiresAt) - Date.now() - 60_000
      if (!hasLeft)
        renewal = setTimeout(() => void renew().catch(() => {}), inMs)
    }

    async function connect(): Promise<void> {
      if (!live) await renew()
      if (hasLeft || !live) return
      const opened = new WebSocket(
        `${live.url}?authorization=api-key%20${live.token}`,
      )
      socket.current = opened
      opened.addEventListener('open', () => {
        attempt = 0
        setStatus('open')
      })
      opened.addEventListener(
        'message',
        ({ data }: MessageEvent<string>) => {
          setText((JSON.parse(data) as { text: string }).text)
        },
      )
      opened.addEventListener('close', ({ code }) => {
        setStatus(code === 1_000 ? 'closed' : 'reconnecting')
        if (code !== 1_000) again()
      })
    }

    function again(): void {
      if (hasLeft) return
      // Twice as long after each failure, up to 30 s.
      retry = setTimeout(
        () => void connect().catch(again),
        Math.min(30_000, 500 * 2 ** attempt),
      )
      attempt += 1
    }

    connect().catch(again)
    return () => {
      hasLeft = true
      clearTimeout(renewal)
      clearTimeout(retry)
      socket.current?.close(1_000)
    }
  }, [fetch, WebSocket])

  function speak(): void {
    const stop = listen((frame) => {
      if (socket.current?.readyState === WebSocket.OPEN)
        socket.current.send(frame)
    })
    setMute(() => stop)
  }

  function stop(): void {
    mute?.()
    setMute(undefined)
    socket.current?.close(1_000)
  }

  return (
    <>
      <p>The stream is {status}.</p>
      <button onClick={mute ? stop : speak}>
        {mute ? 'Stop' : 'Speak'}
      </button>
      <p className="caption">{text}</p>
    </>
  )
}
