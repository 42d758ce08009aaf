'use client'

import { useContext } from 'react'
import type { Client } from './Client.js'
import { ClientContext } from './ClientContext.js'
import { mistake } from '../errors/mistake.js'

/** The internal client of the nearest `VoiceProvider`. */
export function useClient(): Client {
  const client = useContext(ClientContext)
  if (client) return client
  throw mistake('noProvider')
}
