import { VoiceProvider } from '@stagepass/react'
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useRef, useState } from 'react'
import { createRoom } from '../createRoom.js'
import { useTheme } from '../ui/useTheme.js'
import { FirstLook } from './FirstLook.js'

/** The stream of the first screen. */
export function Home(): ReactNode {
  const element = useRef<HTMLDivElement>(null)
  const theme = useTheme(element)
  const [{ emulator, queryClient, voice }] = useState(createRoom)

  return (
    <div className="stagepass-playground home" data-theme={theme} ref={element}>
      <QueryClientProvider client={queryClient}>
        <VoiceProvider client={voice}>
          <FirstLook cut={() => emulator.sockets.forEach((socket) => socket.drop())} />
        </VoiceProvider>
      </QueryClientProvider>
    </div>
  )
}
