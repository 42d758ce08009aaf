/**
 * Ready-made `authorize` functions: a request to your own server, or a JSON Web Token.
 *
 * @module @stagepass/bff/authorize
 */
export { fromUrl, type FromUrlOptions } from './fromUrl.js'
export { fromJwt, type FromJwtOptions, type JwtAlgorithm, type JwtClaims } from './fromJwt.js'
export { GRANT_SCHEMA } from './grantSchema.js'
export type { HostRequest } from './HostRequest.js'
export type { Grant, MeetingsGrant } from '../Grant.js'
export type { Secret } from '../../base/Secret.js'
