import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, StrictMode } from 'react'
import type { VoiceClient } from './createVoiceClient.js'
import { VoiceProvider } from './VoiceProvider.js'

/** A wrapper for `render` and `renderHook`: the page around a component, in StrictMode. */
export const pageOf =
  (voice: VoiceClient, queryClient?: QueryClient, user?: string | null) =>
  ({ children }: { readonly children?: ReactNode }): ReactNode => {
    const page = (
      <VoiceProvider client={voice} user={user}>
        {children}
      </VoiceProvider>
    )
    return (
      <StrictMode>
        {queryClient ? <QueryClientProvider client={queryClient}>{page}</QueryClientProvider> : page}
      </StrictMode>
    )
  }
