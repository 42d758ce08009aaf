/** The check that a bearer token failed: a claim, a header, or what is wrong before its claims are read. */
export type TokenFault =
  'format' | 'alg' | 'key' | 'signature' | 'iss' | 'aud' | 'typ' | 'exp' | 'nbf' | 'iat'
