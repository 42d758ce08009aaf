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

let lastNumber = 0

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
    nextNumber: () => (lastNumber += 1),
    createReader: () => expect.unreachable(),
    createBudget: () => expect.unreachable(),
    ...parts,
  })
