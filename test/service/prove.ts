import { it } from 'vitest'
import type { Service } from './Service.js'

declare module 'vitest' {
  interface TaskMeta {
    /** Why a promise could not be proven on this service. scripts/test.ts prints it. */
    notProvable?: string
  }
}

/** Thrown by a proof that this key or this account does not permit. */
export class NotProvable extends Error {
  override readonly name = 'NotProvable'
}

/** Declares a test of one promise, on a service that is started for it. */
export type Prove = (title: string, proof: (service: Service) => Promise<void>) => void

/**
 * A proof that throws `NotProvable` counts as neither passed nor failed. On a service whose data we control
 * it fails, because there every promise is provable.
 */
export const createProve =
  (start: () => Promise<Service>): Prove =>
  (title, proof) => {
    // oxlint-disable-next-line vitest/valid-title -- the callers have the titles
    it(title, async ({ task, skip }) => {
      await using service = await start()
      try {
        await proof(service)
      } catch (thrown) {
        if (!(thrown instanceof NotProvable) || service.inside) throw thrown
        task.meta.notProvable = thrown.message
        skip(thrown.message)
      }
    })
  }
