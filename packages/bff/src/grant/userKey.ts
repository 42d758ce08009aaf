/** A user. Users of two accounts are never one, whatever their ids are. */
export interface GrantUser {
  readonly user: string
  readonly account?: string | undefined
}

/** Equal for equal users. */
export const userKey = ({ user, account }: GrantUser): string =>
  JSON.stringify(account === undefined ? user : [account, user])
