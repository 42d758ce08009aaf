import type { Product } from '@stagepass/contract'
import { echoStream } from './echo.js'
import type { StreamFactory } from './Stream.js'

export function streamOf(_product: Product, _echo: boolean): StreamFactory {
  return echoStream
}
