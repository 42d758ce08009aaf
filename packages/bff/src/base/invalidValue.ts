import { requestRules, type Seen } from '@stagepass/contract'
import { BffError } from './BffError.js'

/**
 * The VALIDATION_ERROR of a part of a request. `got`: a sentence about what it is instead. `rule`: the name
 * of the rule that it breaks, if that differs from `field`.
 */
export function invalidValue(field: string, got = '', rule: string = field): BffError {
  const seen: Seen = { cause: 'rule', name: field, rule: requestRules()[rule], got }
  return new BffError('VALIDATION_ERROR', { field, seen: seen['rule'] === undefined ? undefined : seen })
}
