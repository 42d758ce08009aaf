import type { BffOptions } from '@stagepass/bff'
import type { Grant } from '@stagepass/bff/authorize'
import type { VoiceError } from '@stagepass/react'
import type { MeetingsFilters, UseMeetingsResult, VoiceProviderProps } from '@stagepass/react'

/* What users ask of an assistant, and what each answer needs. The compiler finds names that have changed. */

type Member =
  | keyof Grant
  | keyof MeetingsFilters
  | keyof UseMeetingsResult<unknown>
  | keyof VoiceProviderProps
  | VoiceError['code']

export interface Task {
  readonly ask: string
  /** One of the texts, or several together, hold the whole answer: skills, or `llms-full.txt`. */
  readonly texts: readonly string[]
  /** Names to import, by entry. A test imports them. */
  readonly imports?: Readonly<Record<string, readonly string[]>>
  /** Options of `createBff`. */
  readonly options?: readonly (keyof BffOptions)[]
  /** Members of grants, props, filters and results, and error codes. */
  readonly members?: readonly Member[]
  /** Code, commands and words that the steps consist of. */
  readonly steps: readonly string[]
}

export const TASKS: readonly Task[] = [
  {
    ask: 'Add captions to this Express app.',
    texts: ['bff/mount-bff', 'react/add-captions'],
    imports: {
      '@stagepass/bff': ['createBff'],
      '@stagepass/react': ['createVoiceClient', 'VoiceProvider'],
      '@stagepass/react/audio': ['usePushToTalk', 'useVoiceSession'],
      '@stagepass/react/transcript': ['selectText', 'useTranscript'],
    },
    options: ['apiKey', 'authorize', 'baseUrl', 'streamingUrl'],
    members: ['products', 'user'],
    steps: [
      'npm install @stagepass/bff',
      'npm install @stagepass/react @tanstack/react-query',
      "app.use('/api/voice', voice)",
      "createVoiceClient({ url: '/api/voice' })",
      'outside of components',
      '<button {...talk}>',
    ],
  },
  {
    ask: 'Why is this a 403?',
    texts: ['react/read-an-error'],
    options: ['allowedOrigins', 'authorize', 'origin'],
    members: ['CROSS_SITE_BLOCKED', 'FORBIDDEN', 'USER_CHANGED', 'USAGE_EXHAUSTED', 'PRODUCT_NOT_ALLOWED'],
    steps: ['error_code', 'x-stagepass-reason', 'x-stagepass: 1', 'hint', 'requestId'],
  },
  {
    ask: 'Count the minutes of each user, with a limit of one hour a day, and keep them for the bill.',
    texts: ['llms-full.txt'],
    imports: { '@stagepass/react': ['useUsage'] },
    options: ['onEvent', 'redis', 'userSecret'],
    members: ['usage', 'USAGE_EXHAUSTED'],
    steps: ['usage: { minutesPerDay: 60 }', 'usage.settled', 'create table voice_usage', 'resetsAt'],
  },
  {
    ask: 'After a sign-out nothing of the user may be left in the page.',
    texts: ['react/sign-in'],
    imports: {
      '@stagepass/react': ['createVoiceClient', 'VoiceProvider'],
    },
    options: ['authorize'],
    members: ['onUserChanged', 'user', 'USER_CHANGED', 'maxTtlMinutes'],
    steps: [
      'user={null}',
      'key={user}',
      "queryClient.setQueryData(['me'], null)",
      "fetch('/logout', { method: 'POST' })",
      'BroadcastChannel',
      'pageshow',
    ],
  },
  {
    ask: 'Show my meetings as a list with a search.',
    texts: ['react/list-meetings'],
    imports: { '@stagepass/react': ['createVoiceClient', 'useMeetings', 'VoiceProvider'] },
    members: [
      'meetings',
      'ownership',
      'search',
      'fields',
      'hasNextPage',
      'fetchNextPage',
      'refresh',
      'error',
    ],
    steps: ['QueryClientProvider', 'credential', 'onChange', 'refetchInterval'],
  },
  {
    ask: 'Mount it in our Next.js application.',
    texts: ['bff/mount-bff'],
    imports: { '@stagepass/bff/fetch': ['createBff'] },
    options: ['apiKey', 'authorize', 'basePath', 'baseUrl', 'streamingUrl'],
    steps: [
      'app/api/voice/[...path]/route.ts',
      'voice.handlers',
      'globalThis',
      "process.env.VOICE_API_KEY ?? ''",
    ],
  },
  {
    ask: 'We run two instances. Put Redis behind them.',
    texts: ['bff/go-to-production'],
    imports: { '@stagepass/bff': ['createBff'] },
    options: ['redis', 'userSecret'],
    steps: [
      "import { createClient } from 'redis'",
      'disableOfflineQueue: true',
      'openssl rand -base64 32',
      'await voice.close()',
      'await redis.close()',
    ],
  },
  {
    ask: 'Which versions of Node, React and TypeScript, and which hosts does it work with?',
    texts: ['llms-full.txt'],
    imports: { '@stagepass/bff/fetch': ['createBff'] },
    steps: [
      'Node 20.19',
      'React 18.2, react-query 5.62 and TypeScript 5.4, or newer',
      'Express 4.18',
      'Next.js',
      'Hono',
      'Fastify',
      'NestJS',
      'Cloudflare Workers',
      'React Router',
      'Koa',
      'Deno',
      '@stagepass/server',
    ],
  },
  {
    ask: 'Rotate the API key without a restart.',
    texts: ['bff/go-to-production'],
    options: ['apiKey'],
    members: ['AUTH_API_KEY_INVALID', 'SECRET_UNAVAILABLE'],
    steps: ["apiKey: async () => (await readFile(keyFile, 'utf8')).trim()", 'secret.renewed', 'one minute'],
  },
  {
    ask: 'Test this component without a network.',
    texts: ['llms-full.txt'],
    imports: { '@stagepass/react/testing': ['createTestVoice'], '@stagepass/react': ['VoiceProvider'] },
    steps: [
      '<VoiceProvider client={voice.client}>',
      'await act(() => voice.advance(100))',
      'voice.service.refuse(',
      'voice.checkUsers()',
    ],
  },
]

/** Every name and step of the answer, as a text should have it. */
const partsOf = ({ imports = {}, options = [], members = [], steps }: Task): string[] => [
  ...Object.entries(imports).flatMap(([entry, names]) => [entry, ...names]),
  ...options,
  ...members,
  ...steps,
]

const isWord = (character = ''): boolean => /\w/.test(character)

/** True if the part is in the text, and not as the beginning or the end of another word. */
function holds(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    const end = at + part.length
    const begins = isWord(part[0]) && isWord(text[at - 1])
    const goesOn = isWord(part.at(-1)) && isWord(text[end])
    if (!begins && !goesOn) return true
  }
  return false
}

/** What an answer, or a text that should lead to one, does not have. */
export const missingIn = (text: string, task: Task): string[] =>
  partsOf(task).filter((part) => !holds(text, part))
