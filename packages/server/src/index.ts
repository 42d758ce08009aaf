/**
 * The BFF as a server of its own, as a function that starts it.
 *
 * @module @stagepass/server
 */
export { type RunningServer, StartError, startServer, type StartOptions } from './run/startServer.js'
export type { Environment, SettingsSource } from './settings/readSettings.js'
export type { SettingName } from './settings/schema.js'
export { SettingsError } from './settings/SettingsError.js'
