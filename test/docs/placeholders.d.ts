import type { BffOptions } from '@stagepass/bff'
import type { Playback } from '@stagepass/audio'
import type { IncomingMessage } from 'node:http'
import type { Express } from 'express'
import type { ReactNode } from 'react'

/* Names that the pages leave to the reader: the application itself. */
declare global {
  function show(what: unknown): void
  function currentUser(req: IncomingMessage | Request): Promise<{ id: string; meetingsKey: string } | null>
  function findUser(cookie: string | null | undefined): Promise<{ id: string; meetingsKey: string } | null>
  function createApp(settings: { apiKey: string; baseUrl: string; streamingUrl: string }): {
    mint(product: string): Promise<{ status: number }>
  }
  function expect(actual: unknown): { toBe(expected: unknown): void; toEqual(expected: unknown): void }
  function Dictation(): ReactNode
  function SignIn(props: { onDone(): unknown }): ReactNode
  function fetchUser(): Promise<string | null>
  function getAccessToken(options?: { forceRefresh: boolean }): Promise<string>
  function useSignedInUser(): { id: string } | null
  function report(error: unknown): void
  const app: Express
  const options: BffOptions
  const audio: ArrayBuffer
  const playback: Playback
  /** Text of a `.voicetape`. */
  const tape: string
  interface Command {
    readonly say: string
  }
  interface Caption {
    readonly text: string
    readonly finalMs?: number
  }
}
