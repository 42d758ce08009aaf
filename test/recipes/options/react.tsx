import { createVoiceClient, useMeetings, useStream } from '@stagepass/react'

export const voice = createVoiceClient({
  url: 'https://api.example.com/voice',
  credentials: 'include', // cookies to a BFF on another origin, which lists this one in `allowedOrigins`
  headers: async () => ({ authorization: `Bearer ${await getAccessToken()}` }),
  sessionId: (user) => `support-${user}`,
  timeoutMs: 20_000, // longer than a gateway in front of the BFF waits
  onEvent: (event) => report(event),
})

export function Patient({ search }: { search: string }) {
  // Each letter costs a request of the account: 300 ms is the default.
  const { meetings } = useMeetings({ search }, { debounceMs: 600 })
  const stream = useStream('stt', {
    key: 'second microphone',
    connectTimeoutMs: 5_000,
    reconnect: {
      minDelayMs: 200,
      maxDelayMs: 5_000,
      maxAttempts: 10,
      stableMs: 5_000,
      silenceMs: 60_000,
      shouldReconnect: (closeCode, closeReason) => closeCode !== 1000 || closeReason === 'restart',
    },
    queue: { maxBytes: 256_000, maxAgeMs: 3_000, drop: 'newest' },
    rollover: { silenceMs: 300, deadlineMs: 10_000 },
    resend: { keepMs: 600_000, pace: 4, lagMs: 8_000 }, // with a codec that knows what is final
  })
  return <p>{`${meetings.length} meetings, ${stream.status}`}</p>
}
