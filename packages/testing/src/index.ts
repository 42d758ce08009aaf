export { type RawAnswer, type RawRequest, rawRequest } from './rawRequest.js'
export { type RedisServer, startRedis } from './startRedis.js'
export { type Service, startRawService, startService } from './startService.js'
export {
  type Interceptor,
  type Stack,
  type StackOptions,
  type StackRequestInit,
  startStack,
} from './startStack.js'
