export const REFUSAL =
  'Failed to publish: only the workflow "release" publishes, with an identity that lives for minutes and with provenance. ' +
  'Run `npm run release -- --dry-run` to try a release here.'

/** Whether this runs in the release workflow, with the right to ask for its identity. */
export const mayPublish = (env: NodeJS.ProcessEnv): boolean =>
  env.GITHUB_ACTIONS === 'true' &&
  env.GITHUB_WORKFLOW === 'release' &&
  env.ACTIONS_ID_TOKEN_REQUEST_URL !== undefined
