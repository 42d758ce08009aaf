/*
 * Everything in this file is an assumption; `docs/assumptions.md` lists them all. Each value was seen in
 * public clients of such a service, and can be overridden where it is used. Only this file,
 * `meetingsParams.ts`, `meetingsWire.ts` and `limits.ts` may contain assumptions. (Assumptions: "Lengths".)
 */

/**
 * HTTP status of a refused upgrade if too many sessions are open. (Assumptions: "Status of too many
 * sessions".)
 */
export const ASSUMED_CONCURRENCY_STATUS = 429

/** Status of a new token: one value of an open set. (Contract: "Token status".) */
export const FRESH_TOKEN_STATUS = 'LICENSE_VALID'

/** Matches a language of `/vt`: BCP 47 with a region, such as `en-US`, `zh-Hant-TW` or `es-419`. */
export const LANGUAGE_WITH_REGION: RegExp = /^[a-z]{2,3}(?:-[a-z]{4})?-(?:[a-z]{2}|\d{3})$/i
