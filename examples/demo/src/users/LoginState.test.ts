import { expect, it } from 'vitest'
import type { LoginState } from './LoginState.js'
import { afterReading } from './LoginState.js'

const IN: LoginState = { status: 'in', user: 'ada' }
const FOUND: LoginState = { status: 'out', how: 'found' }
const OUT: LoginState = { status: 'out', how: 'here' }
const GONE: LoginState = { status: 'out', how: 'elsewhere' }
const DOUBTFUL: LoginState = { status: 'doubtful', before: 'ada' }
const CHANGED: LoginState = { status: 'changed', before: 'ada', user: 'ben' }
const UNKNOWN: LoginState = { status: 'unknown' }

it.each([
  [UNKNOWN, null, FOUND],
  [UNKNOWN, 'ada', IN],
  [OUT, null, OUT],
  [OUT, 'ada', IN],
  [IN, null, GONE],
  [IN, 'ada', IN],
  [IN, 'ben', CHANGED],
  [DOUBTFUL, null, GONE],
  [DOUBTFUL, 'ada', IN],
  [DOUBTFUL, 'ben', CHANGED],
  [CHANGED, null, GONE],
  [CHANGED, 'ada', IN],
  [CHANGED, 'ben', CHANGED],
] as const)('%o becomes, if the server says %s: %o', (state, user, after) => {
  expect(afterReading(state, user)).toEqual(after)
})
