import { fileURLToPath } from 'node:url'
import { createEmulator, type Emulator } from '@stagepass/emulator'
import { Miniflare, type Request, Response } from 'miniflare'
import { build } from 'vite'
import type { BffEvent, BffGauge, MeetingsOptions, RedisEval } from './types.js'
import { askAt, type Host, type HostKind, type HostOptions } from './startHost.test.kit.js'
import type { WorkerSettings } from './worker.test.kit.js'

/** The worker of the tests, built as for Cloudflare Workers. */
const bundling = (async () => {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@stagepass/source', 'workerd', 'worker', 'browser', 'module', 'import'] },
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      lib: { entry: fileURLToPath(new URL('worker.test.kit.ts', import.meta.url)), formats: ['es'] },
      rolldownOptions: { external: [/^cloudflare:/, /^node:/] },
    },
  })
  const [bundle] = [result].flat()
  const chunk = bundle && 'output' in bundle ? bundle.output[0] : undefined
  if (!chunk) throw new Error('The worker has no bundle.')
  return chunk.code
})()
// The test that needs it fails with a clear message.
bundling.catch(() => undefined)

export interface WorkerdOptions extends Pick<HostOptions, 'allowedOrigins' | 'deadlineMs' | 'limits'> {
  readonly inObject?: boolean
  /** The key is fetched from the service, at this path. */
  readonly keyPath?: string
  readonly meetings?: MeetingsOptions | undefined
  /** Runs what the worker sends to Redis. */
  readonly redis?: RedisEval
  /** The emulator of another worker, to share it. */
  readonly upstream?: Emulator
}

/** A worker that also has server code. */
interface WorkerHost extends Host {
  /** Calls `as` in the worker: `meetings?q=a`, `token`, `fetch`. */
  as(call: string): Promise<unknown>
}

/** A worker on an emulator, in workerd. */
export async function startWorkerd(given: WorkerdOptions = {}): Promise<WorkerHost> {
  const { inObject = false, keyPath, meetings = {}, redis, allowedOrigins, deadlineMs, limits } = given
  const upstream = given.upstream ?? (await createEmulator())
  const settings: WorkerSettings = {
    apiKey: upstream.apiKey,
    baseUrl: upstream.baseUrl,
    streamingUrl: upstream.streamingUrl,
    meetingsUrl: upstream.meetingsUrl,
    credential: upstream.meetingsCredential,
    keyUrl: keyPath && upstream.baseUrl + keyPath,
    inObject,
    withRedis: redis !== undefined,
    meetings,
    options: { allowedOrigins, deadlineMs, limits },
  }
  const worker = new Miniflare({
    modules: true,
    script: await bundling,
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['enable_request_signal', 'nodejs_compat'],
    // JSON has no `undefined`, which Miniflare refuses.
    bindings: { SETTINGS: JSON.stringify(settings) },
    durableObjects: { VOICE: 'Voice' },
    serviceBindings: {
      async REDIS(request: Request) {
        const { script, keys, args } = (await request.json()) as Record<'keys' | 'args', string[]> & {
          readonly script: string
        }
        return Response.json(await redis?.(script, keys, args))
      },
    },
  })
  const origin = (await worker.ready).origin
  const control = async <TValue>(what: string): Promise<TValue> => {
    const response = await worker.dispatchFetch(`${origin}/control/${what}`)
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as TValue
  }
  return {
    upstream,
    origin,
    ask: askAt(origin, '/api/voice'),
    readEvents: () => control<BffEvent[]>('events'),
    gauge: () => control<BffGauge>('gauge'),
    close: () => control('close'),
    as: (call) => control(`as/${call}`),
    async [Symbol.asyncDispose]() {
      await worker.dispose()
      if (!given.upstream) await upstream.close()
    },
  }
}

const kind = (name: string, inObject: boolean): HostKind => ({
  name,
  noticesLeaving: false,
  start: ({ allowedOrigins, deadlineMs } = {}) => startWorkerd({ allowedOrigins, deadlineMs, inObject }),
})

export const WORKERS: readonly HostKind[] = [
  kind('Cloudflare Workers', false),
  kind('Cloudflare Workers, in a Durable Object', true),
]
