import { startStack, type StackOptions } from '@stagepass/testing'
import { type DoctorOptions, type DoctorRun, runDoctorOn, withoutMeetings } from './doctor.test.kit.js'

/** The login cookie of the site's user. */
export const COOKIE = 'sid=s%3Aq8Yw3ZtLr0Vb5NcXe7Hd.kPj2MgRf9Us'

/** A BFF whose `authorize` requires the cookie. */
export async function startSite(options: StackOptions = {}) {
  const site = await startStack({
    ...options,
    bff: {
      authorize: (request) => (request.get('cookie') === COOKIE ? site.grant : null),
      ...options.bff,
    },
  })
  return site
}

type Site = Awaited<ReturnType<typeof startSite>>

/** Runs the doctor for a BFF at this address. */
export function check(
  site: Site,
  url: string,
  options: DoctorOptions & { cookie?: string } = {},
): Promise<DoctorRun> {
  const { cookie, ...others } = options
  const secrets = cookie === undefined ? [] : [cookie]
  const environment = { ...withoutMeetings, STAGEPASS_COOKIE: cookie }
  const argv = ['--json', '--bff', url]
  return runDoctorOn(site.upstream, { argv, secrets, environment, ...others })
}

/** The statuses of a BFF without problems. */
export const ALL_OK = {
  health: 'ok',
  gate: 'ok',
  login: 'ok',
  'own origin': 'ok',
  token: 'ok',
  stream: 'ok',
  meetings: 'ok',
  headers: 'ok',
}
