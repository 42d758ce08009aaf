import { bff } from '../../../../lib/voice'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = bff.handlers
