'use client'

import { type QueryClient, QueryClientContext } from '@tanstack/react-query'
import { useContext } from 'react'

/** The query client of the nearest `QueryClientProvider`. Call it before a hook of TanStack Query. */
export function useFoundQueryClient(): QueryClient {
  const queryClient = useContext(QueryClientContext)
  if (queryClient) return queryClient
  throw new Error(
    'Failed to find the query client: no QueryClientProvider is above this component, or it is of another copy of @tanstack/react-query. Wrap the application in <QueryClientProvider client={queryClient}>. `npm ls @tanstack/react-query` shows the copies: there must be one.',
  )
}
