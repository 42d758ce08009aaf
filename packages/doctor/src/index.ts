/**
 * The checks of `npx @stagepass/doctor`, as a function.
 *
 * @module @stagepass/doctor
 */
export type { CheckResult, CheckStatus, Outcome, Report } from './report/Result.js'
export { runDoctor, type RunOptions } from './runDoctor.js'
export type { BffTarget, Limits, ServiceSettings, ServiceTarget, Target } from './settings/Settings.js'
