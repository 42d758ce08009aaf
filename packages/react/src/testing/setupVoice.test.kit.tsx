import type { Stack, StackOptions } from '@stagepass/testing'
import { startStack } from '@stagepass/testing'
import { QueryClient } from '@tanstack/react-query'
import type { RenderHookOptions, RenderHookResult } from '@testing-library/react'
import { cleanup, renderHook } from '@testing-library/react'
import type { VoiceClient, VoiceClientOptions } from '../client/createVoiceClient.js'
import { createVoiceClient } from '../client/createVoiceClient.js'
import type { VoiceEvent } from '../events/events.js'
import { pageOf } from '../client/pageOf.test.kit.js'

export interface VoiceSetup extends AsyncDisposable {
  readonly stack: Stack
  readonly voice: VoiceClient
  readonly queryClient: QueryClient
  readonly events: VoiceEvent[]
  /** Paths with their queries as the BFF got them, oldest first. */
  readonly asked: string[]
  readonly Wrapper: ReturnType<typeof pageOf>
  /** Renders a hook under the providers, and under StrictMode. */
  render<TResult, TProps>(
    hook: (props: TProps) => TResult,
    options?: RenderHookOptions<TProps>,
  ): RenderHookResult<TResult, TProps>
}

/** A real emulator and BFF on loopback, and a voice client on them. */
export async function setupVoice({
  client,
  ...options
}: StackOptions & { client?: Partial<VoiceClientOptions> } = {}): Promise<VoiceSetup> {
  const stack = await startStack(options)
  const events: VoiceEvent[] = []
  const asked: string[] = []
  stack.intercept((req, _res, next) => {
    asked.push(req.url)
    next()
  })
  const voice = createVoiceClient({ url: stack.url, onEvent: (event) => events.push(event), ...client })
  const queryClient = new QueryClient()
  const Wrapper = pageOf(voice, queryClient)
  return {
    stack,
    voice,
    queryClient,
    events,
    asked,
    Wrapper,
    render: (hook, renderOptions) => renderHook(hook, { wrapper: Wrapper, ...renderOptions }),
    async [Symbol.asyncDispose]() {
      cleanup()
      queryClient.clear()
      await stack.close()
    },
  }
}
