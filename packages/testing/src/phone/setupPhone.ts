import { afterEach } from 'vitest'
import { cleanup } from './testingLibrary.js'

/* Set-up of every test file on a phone. */

afterEach(cleanup)
