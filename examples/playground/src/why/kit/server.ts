import { createBff, type BffOptions } from '@stagepass/bff/fetch'

export type Service = Omit<BffOptions, 'authorize'> & {
  readonly currentUser: (
    request: Request,
  ) => { readonly id: string; readonly meetingsKey: string } | null
}

export function mount({ currentUser, ...service }: Service) {
  return createBff({
    ...service,
    authorize: (request) => {
      const user = currentUser(request)
      return (
        user && {
          user: user.id,
          products: ['stt'],
          meetings: { credential: user.meetingsKey },
        }
      )
    },
  })
}
