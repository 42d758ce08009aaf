import { cleanup, configure } from '@testing-library/react'
import type { JSDOM } from 'jsdom'
import { afterEach } from 'vitest'

/*
 * Set-up of every test file with a document. The files of a worker share the document, so each test leaves it
 * empty.
 */

// Servers are real, and the machine may be busy. A test should fail because of its assertion and not because
// of a slow second.
configure({ asyncUtilTimeout: 60_000 })

// Reports of jsdom go to the console of the test, which prints nothing if the test passes.
const { jsdom } = globalThis as typeof globalThis & { readonly jsdom?: JSDOM }
jsdom?.virtualConsole.removeAllListeners().forwardTo(console)

afterEach(cleanup)
