import { getBff } from '../../../../lib/voice'

const handle = (request: Request): Promise<Response> => getBff().fetch(request)

export {
  handle as GET,
  handle as HEAD,
  handle as POST,
  handle as PUT,
  handle as PATCH,
  handle as DELETE,
  handle as OPTIONS,
}
