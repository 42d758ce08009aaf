'use client'

import { useContext } from 'react'
import type { Client } from './Client.js'
import { ClientContext } from './ClientContext.js'
import { mistake } from '../errors/mistake.js'

/** The client given to the nearest `VoiceProvider`, as the hooks of this package need it. */
export function useClient(): Client {
  const client = useContext(ClientContext)
  if (client) return client
  throw mistake('noProvider')
}
