export { type Nginx, type NginxOptions, startNginx } from './stack/startNginx.js'
export { type RedisServer, startRedis } from './stack/startRedis.js'
export { type Service, startRawService, startService } from './stack/startService.js'
export {
  type Interceptor,
  type Stack,
  type StackOptions,
  type StackRequestInit,
  startStack,
} from './stack/startStack.js'
export { startTcpProxy, type TcpProxy } from './stack/startTcpProxy.js'
