'use client'

import { createContext } from 'react'
import type { VoiceClient } from './VoiceClient.js'

export const VoiceContext = createContext<VoiceClient | undefined>(undefined)
