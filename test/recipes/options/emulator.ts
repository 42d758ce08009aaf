import { createEmulator } from '@stagepass/emulator'

export const upstream = await createEmulator({
  seed: 7, // other meetings and ids
  tokenStatus: 'TRIAL',
  maxSessions: 1,
  refuseBy: 'frame',
  refusalForm: 'nested',
  cutAtExpiry: true,
  echo: true,
  recordFrames: Infinity,
  recordRequests: false,
  limiter: 'strict',
  limiterCountsRefused: true,
  retryAfter: true,
  total: false,
  endOfList: 'missing',
  tagsShape: 'array',
  latency: { ms: 60, jitterMs: 20 },
  onRequest: ({ method, path, status }) => report(`${method} ${path} ${status}`),
  onError: (error) => report(error),
  allowProduction: true, // a demo in public; it also needs STAGEPASS_EMULATOR_IN_PRODUCTION=1
})
