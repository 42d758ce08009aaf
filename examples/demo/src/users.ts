import type { MeetingField, Product } from '@stagepass/contract'
import { PRODUCT_NAMES } from '@stagepass/contract'

interface DemoUser {
  readonly name: string
  /** The rights in words. */
  readonly may: string
  readonly products: readonly Product[]
  /** The customer of this user, with an API key of its own. Default: the key of the server. */
  readonly customer?: string
  /** Default: no limit, and nothing is counted. */
  readonly usage?: { readonly minutesPerDay: number }
  /** Default: all meetings with all fields. */
  readonly meetings?: { readonly ownership: 'mine'; readonly fields: readonly MeetingField[] }
}

/** The users of the demo and their rights. The server makes grants of them, the page shows nothing else. */
export const USERS: Readonly<Record<'ada' | 'ben', DemoUser>> = {
  ada: { name: 'Ada', may: 'All products, all meetings', products: PRODUCT_NAMES },
  ben: {
    name: 'Ben',
    may: 'Speech-to-Text for 30 minutes a day, and his own meetings without people and tags',
    products: ['stt'],
    customer: 'Tidewater',
    usage: { minutesPerDay: 30 },
    meetings: { ownership: 'mine', fields: ['title', 'started_at', 'duration'] },
  },
}

export type UserId = keyof typeof USERS

export const USER_IDS = ['ada', 'ben'] as const satisfies readonly UserId[]

export const isUser = (id: unknown): id is UserId => USER_IDS.includes(id as UserId)
