import type { Grant } from '@stagepass/bff'
import type { Request } from 'express'
import type { Upstream } from './openUpstream.js'

/**
 * THE DEMO'S LOGIN, AND NO EXAMPLE OF ONE: whoever asks is who they say they are. It lets one page show what different grants do. A real
 * server looks at its own session here; see examples/express-server.
 */
export function createAuthorize({ meetingsCredential }: Upstream): (request: Request) => Grant | null {
  const meetings = meetingsCredential === undefined ? undefined : { credential: meetingsCredential }
  return (request) => {
    switch (request.get('x-demo-user')) {
      case 'ada':
        return { user: 'ada', meetings }
      case 'ben':
        return {
          user: 'ben',
          products: ['stt'],
          maxTtlMinutes: 5,
          meetings: meetings && {
            ...meetings,
            ownership: 'mine',
            fields: ['title', 'started_at', 'duration'],
          },
        }
      default:
        return null
    }
  }
}
