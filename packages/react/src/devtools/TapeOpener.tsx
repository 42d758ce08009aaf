'use client'

import { parseTape } from '@stagepass/contract'
import { type ReactNode, useState } from 'react'
import { SessionPicture } from './SessionPicture.js'
import { type SessionNotes, sessionOfTape } from './sessionOf.js'

type Opened = { readonly session: SessionNotes } | { readonly problem: string }

/** Opens a `.voicetape`, and shows its last session. */
export function TapeOpener(): ReactNode {
  const [opened, setOpened] = useState<Opened>()
  return (
    <div>
      <label>
        Open a tape{' '}
        <input
          type="file"
          accept=".voicetape"
          style={{ font: 'inherit' }}
          onChange={({ target }) => {
            const [file] = target.files ?? []
            if (file) void readTape(file).then(setOpened)
          }}
        />
      </label>
      {opened &&
        ('session' in opened ? <SessionPicture session={opened.session} /> : <p>{opened.problem}</p>)}
    </div>
  )
}

async function readTape(file: File): Promise<Opened> {
  try {
    const session = sessionOfTape(parseTape(await file.text()))
    return session ? { session } : { problem: 'No stream was opened on this tape.' }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
