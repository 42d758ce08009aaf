import { cleanup, configure } from '@testing-library/react'
import type { JSDOM } from 'jsdom'
import { afterEach } from 'vitest'

/*
 * Set-up of every file of tests with a document: the files of a worker share it, so each test leaves it
 * empty.
 */

// Real servers on a machine that may be busy: a test fails by its assertion, not by a slow second.
configure({ asyncUtilTimeout: 60_000 })

// What jsdom reports goes through the console of the test, which says nothing if the test passes.
const { jsdom } = globalThis as typeof globalThis & { readonly jsdom?: JSDOM }
jsdom?.virtualConsole.removeAllListeners().forwardTo(console)

afterEach(cleanup)
