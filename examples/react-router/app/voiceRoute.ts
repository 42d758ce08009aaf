import type { Route } from './+types/voiceRoute'
import { bff } from '../../server/voice'

/** GET and HEAD. */
export const loader = ({ request }: Route.LoaderArgs) => bff.fetch(request)

/** All other methods. */
export const action = ({ request }: Route.ActionArgs) => bff.fetch(request)
