import { VoiceProvider } from '@stagepass/react'
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { createRoom } from '../createRoom.js'
import { useTheme } from '../ui/useTheme.js'
import { WireLog } from '../wire/WireLog.js'
import { Captions } from './Captions.js'

/** The stream of the first screen, and what goes over the wire. */
export function Home(): ReactNode {
  const element = useRef<HTMLDivElement>(null)
  const theme = useTheme(element)
  const [{ emulator, log, queryClient, voice }] = useState(createRoom)

  useEffect(() => emulator.onWire(log.add), [emulator, log])

  return (
    <div className="stagepass-playground home" data-theme={theme} ref={element}>
      <div className="panel">
        <div className="sample">
          <QueryClientProvider client={queryClient}>
            <VoiceProvider client={voice}>
              <Captions drop={() => emulator.sockets.forEach((socket) => socket.drop())} />
            </VoiceProvider>
          </QueryClientProvider>
        </div>
        <WireLog log={log} />
      </div>
    </div>
  )
}
