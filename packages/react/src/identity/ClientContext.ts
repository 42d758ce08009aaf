'use client'

import { createContext } from 'react'
import type { Client } from './Client.js'

export const ClientContext = createContext<Client | undefined>(undefined)
