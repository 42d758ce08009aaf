import { expect } from 'vitest'
import { systemPlatform } from '../base/platform.js'
import { createKeyRegister } from '../usage/createKeyRegister.js'
import { Account } from './Account.js'

/** A register of keys in memory. */
export const memoryRegister = () =>
  createKeyRegister({
    redis: undefined,
    account: 'main',
    secret: undefined,
    breaker: (call) => call(),
  })

/** An account of which a test uses only these parts. */
export const accountOf = (
  name: string | undefined,
  parts: Partial<ConstructorParameters<typeof Account>[1]> = {},
): Account =>
  new Account(name, {
    clock: systemPlatform.clock,
    createSessions: undefined,
    commonKey: undefined,
    register: memoryRegister(),
    createReader: () => expect.unreachable(),
    createBudget: () => expect.unreachable(),
    ...parts,
  })
