import { MEETINGS_PARAMS, type MeetingsWire, PRODUCT_NAMES, type Tape } from '@stagepass/contract'
import * as bff from './bff.js'
import type { Check } from './Check.js'
import * as meetings from './meetings.js'
import { askFor } from './params.js'
import * as service from './service.js'
import * as tape from './tape.js'

/** The checks of tokens and WebSockets, in order. */
export const serviceChecks: readonly Check<service.ServiceContext>[] = [
  { name: 'token address', run: service.tokenAddress },
  { name: 'key', needs: ['token address'], run: service.key },
  ...PRODUCT_NAMES.map((product) => ({
    name: `token ${product}`,
    needs: ['key'],
    run: service.token(product),
  })),
  { name: 'stream address', run: service.streamAddress },
  ...PRODUCT_NAMES.map((product) => ({
    name: `stream ${product}`,
    needs: ['stream address', `token ${product}`],
    run: service.stream(product),
  })),
]

/** The checks of a tape: one for each product on it. */
export const tapeChecks = (recorded: Tape): readonly Check<tape.TapeContext>[] =>
  tape.productsOf(recorded).map((product) => ({ name: `tape ${product}`, run: tape.tapeOf(product) }))

export const meetingsCheck: Check<meetings.MeetingsContext> = { name: 'meetings', run: meetings.meetings }

/** The checks of the wire: three responses, and a request for each row of the table of parameters. */
export const wireChecks = ({ fields }: MeetingsWire): readonly Check<meetings.MeetingsContext>[] => [
  { name: 'list', needs: ['meetings'], run: meetings.list },
  ...Object.values(MEETINGS_PARAMS)
    // A service that cannot choose fields is not asked for some.
    .filter(({ name }) => fields || name !== 'fields')
    .map(({ name }) => ({
      name: `params.${name}`,
      needs: ['list'],
      run: (context: meetings.MeetingsContext) => askFor(name, context),
    })),
  { name: 'meeting', needs: ['list'], run: meetings.meeting },
  { name: 'tags', needs: ['meetings'], run: meetings.tags },
]

/** The checks of a mounted BFF from outside, in order. The last one examines all responses. */
export const bffChecks: readonly Check<bff.BffContext>[] = [
  { name: 'health', run: bff.health },
  { name: 'gate', needs: ['health'], run: bff.gate },
  { name: 'login', needs: ['gate'], run: bff.login },
  { name: 'own origin', needs: ['login'], run: bff.ownOrigin },
  { name: 'token', needs: ['login'], run: bff.token },
  { name: 'stream', needs: ['token'], run: bff.stream },
  { name: 'meetings', needs: ['login'], run: bff.meetings },
  { name: 'headers', needs: ['health'], run: bff.headers },
]
