import type { Check } from '../checks/Check.js'
import { experiments, orderWord } from './experiments.js'
import * as values from './values.js'
import type { WireContext } from './WireContext.js'

/** A check for each value of the wire, in order. Before them comes `meetings`. */
export const wireChecks: readonly Check<WireContext>[] = [
  { name: 'listPath', needs: ['meetings'], run: values.listPath },
  { name: 'items', needs: ['listPath'], run: values.items },
  { name: 'cursor', needs: ['items'], run: values.cursor('cursor') },
  { name: 'params.cursor', needs: ['items'], run: values.cursor('params.cursor') },
  { name: 'total', needs: ['items'], run: values.total },
  { name: 'tagsPath', needs: ['meetings'], run: values.tagsPath },
  { name: 'tags', needs: ['tagsPath'], run: values.tags },
  ...experiments,
  { name: 'order.newest', needs: ['params.order'], run: orderWord('newest') },
  { name: 'order.oldest', needs: ['params.order'], run: orderWord('oldest') },
  { name: 'ownershipWords.mine', needs: ['params.ownership'], run: values.ownershipWords('mine') },
  { name: 'ownershipWords.shared', needs: ['params.ownership'], run: values.ownershipWords('shared') },
  { name: 'meetingPath', needs: ['items'], run: values.meetingPath },
  { name: 'meeting', needs: ['meetingPath'], run: values.meeting },
  { name: 'extraFields', needs: ['meeting', 'params.fields'], run: values.extraFields },
]
