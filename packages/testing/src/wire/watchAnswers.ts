import type { Request, Response } from 'express'
import { describedWire } from './describedWire.js'

/** Compares each response of the BFF with its description, and records the differences. */
export function watchAnswers(req: Request, res: Response, violations: string[]): void {
  const { method, url: path } = req
  const send = { writeHead: res.writeHead.bind(res), write: res.write.bind(res), end: res.end.bind(res) }
  let status = 0
  let headers: Record<string, unknown> = {}
  const look = (body: unknown): void => {
    // Without a body there is nothing to compare. For HEAD, Node removes the body later.
    if (typeof body !== 'string' || body === '' || status === 0 || method === 'HEAD') return
    const violation = describedWire().violationOf({ method, path, status, headers, body })
    if (violation !== undefined) violations.push(violation)
  }
  Object.assign(res, {
    writeHead(...args: [number, Record<string, unknown>]) {
      ;[status, headers] = [args[0], lowerCased(args[1])]
      return (send.writeHead as (...all: unknown[]) => Response)(...args)
    },
    write(...args: unknown[]) {
      look(args[0])
      return (send.write as (...all: unknown[]) => boolean)(...args)
    },
    end(...args: unknown[]) {
      look(args[0])
      return (send.end as (...all: unknown[]) => Response)(...args)
    },
  })
}

const lowerCased = (headers: Record<string, unknown> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
