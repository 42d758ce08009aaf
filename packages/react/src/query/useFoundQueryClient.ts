'use client'

import { type QueryClient, QueryClientContext } from '@tanstack/react-query'
import { useContext } from 'react'
import { mistake } from '../errors/mistake.js'

/** The query client of the nearest `QueryClientProvider`. Call it before a hook of TanStack Query. */
export function useFoundQueryClient(): QueryClient {
  const queryClient = useContext(QueryClientContext)
  if (queryClient) return queryClient
  throw mistake('noQueryClient')
}
