import type { Case } from '../Case.js'
import { HOSTS as ALL } from './hosts.js'
import { tryHost } from './tryHost.js'

/** Every host, in the order of the table. */
export const HOSTS: readonly Case[] = ALL.map((host) => ({
  name: host.name,
  table: 'hosts',
  run: (context) => tryHost(context, host),
}))
