import type { Product } from '@stagepass/contract'

interface StreamName {
  readonly product: Product
  readonly key: string
}

const names = new WeakMap<object, StreamName>()

/** Keeps to which stream a function of `useStream` belongs. The result of the hook does not show it. */
export const nameStream = (send: object, name: StreamName): void => void names.set(send, name)

/** The stream of a result of `useStream`. */
export const nameOfStream = ({ send }: { readonly send: object }): StreamName | undefined => names.get(send)
