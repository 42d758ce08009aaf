export { type RunningServer, StartError, startServer, type StartOptions } from './run/startServer.js'
export type { Environment, SettingsSource } from './settings/readSettings.js'
export type { SettingName } from './settings/schema.js'
export { SettingsError } from './settings/SettingsError.js'
