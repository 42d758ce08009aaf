/* The tokens of identity providers: where each is at its issuer, how it is signed, and what is in it. */

/** Claims that hold an address get that of the local issuer. */
type Claims = (issuer: string) => Readonly<Record<string, unknown>>

export interface Provider {
  /** The program of docs/logins.md. */
  readonly file: string
  /** Ends the claim `iss`. */
  readonly path: string
  readonly jwksPath: string
  readonly alg: 'RS256' | 'ES256' | 'EdDSA'
  /** Whether its keys name their algorithm. */
  readonly keysHaveAlg: boolean
  /** Besides `alg` and `kid`. */
  readonly header: Readonly<Record<string, unknown>>
  readonly access: Claims
  /** Its ID token, if it has one. */
  readonly id?: Claims
  /** The claim with the audience. */
  readonly audienceClaim: string
  /** The user that the BFF must see. */
  readonly user: string
}

const API = 'https://api.example.com'
const PAGE = 'https://app.example.com'
export const CLIENT = '6731de76-14a6-49ae-97bc-6eba6914391e'

export const PROVIDERS: readonly Provider[] = [
  {
    file: 'clerk.ts',
    path: '',
    jwksPath: '/.well-known/jwks.json',
    alg: 'RS256',
    keysHaveAlg: true,
    header: { typ: 'JWT', cat: 'cl_B7d4PD111AAA' },
    access: () => ({ azp: PAGE, fva: [0, -1], sid: 'sess_1', sts: 'active', sub: 'user_2a', v: 2 }),
    audienceClaim: 'azp',
    user: 'user_2a',
  },
  {
    file: 'auth0.ts',
    path: '/',
    jwksPath: '/.well-known/jwks.json',
    alg: 'RS256',
    keysHaveAlg: true,
    header: { typ: 'JWT' },
    access: (issuer) => ({
      aud: [API, `${issuer}userinfo`],
      azp: CLIENT,
      scope: 'openid profile email',
      sub: 'auth0|5f7c',
    }),
    id: () => ({ aud: CLIENT, nonce: 'bm9uY2U', sid: 's1', sub: 'auth0|5f7c', name: 'Ada' }),
    audienceClaim: 'aud',
    user: 'auth0|5f7c',
  },
  {
    file: 'betterAuth.ts',
    path: '',
    jwksPath: '/api/auth/jwks',
    alg: 'EdDSA',
    keysHaveAlg: true,
    header: {},
    access: (issuer) => ({ aud: issuer, sub: 'wMR7ODpb', id: 'wMR7ODpb', name: 'Ada', emailVerified: false }),
    audienceClaim: 'aud',
    user: 'wMR7ODpb',
  },
  {
    file: 'supabase.ts',
    path: '/auth/v1',
    jwksPath: '/auth/v1/.well-known/jwks.json',
    alg: 'ES256',
    keysHaveAlg: true,
    header: { typ: 'JWT' },
    access: () => ({
      aud: 'authenticated',
      sub: '4f5e0a4e',
      role: 'authenticated',
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: 1 }],
      session_id: '9d1b',
      is_anonymous: false,
      app_metadata: { provider: 'email' },
      user_metadata: {},
    }),
    audienceClaim: 'aud',
    user: '4f5e0a4e',
  },
  {
    file: 'entra.ts',
    path: '/tenant/v2.0',
    jwksPath: '/tenant/discovery/v2.0/keys',
    alg: 'RS256',
    keysHaveAlg: false,
    header: { typ: 'JWT' },
    access: () => ({
      aud: CLIENT,
      azp: 'a-page',
      azpacr: '0',
      oid: '690222be',
      scp: 'voice',
      sub: 'pairwise',
      tid: 'tenant',
      ver: '2.0',
    }),
    // The page and its API have one registration, so the audience is right.
    id: () => ({ aud: CLIENT, nonce: '678910', oid: '690222be', sub: 'pairwise', ver: '2.0' }),
    audienceClaim: 'aud',
    user: '690222be',
  },
  {
    file: 'keycloak.ts',
    path: '/realms/app',
    jwksPath: '/realms/app/protocol/openid-connect/certs',
    alg: 'RS256',
    keysHaveAlg: true,
    header: { typ: 'JWT' },
    access: () => ({
      aud: 'account',
      azp: 'web',
      nonce: 'n-0S6',
      typ: 'Bearer',
      acr: '1',
      scope: 'openid email',
      sub: 'f:1:ada',
    }),
    id: () => ({ aud: 'web', azp: 'web', nonce: 'n-0S6', typ: 'ID', sub: 'f:1:ada' }),
    audienceClaim: 'azp',
    user: 'f:1:ada',
  },
  {
    file: 'cognito.ts',
    path: '/eu-central-1_AbC',
    jwksPath: '/eu-central-1_AbC/.well-known/jwks.json',
    alg: 'RS256',
    keysHaveAlg: true,
    header: {},
    access: () => ({
      client_id: CLIENT,
      token_use: 'access',
      scope: 'openid',
      sub: 'aaaa-bbbb',
      username: 'ada',
      version: 2,
    }),
    id: () => ({ aud: CLIENT, token_use: 'id', sub: 'aaaa-bbbb', 'cognito:username': 'ada' }),
    audienceClaim: 'client_id',
    user: 'aaaa-bbbb',
  },
]
