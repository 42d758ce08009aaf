import { createBff } from '@stagepass/bff'
import { fromJwt, fromUrl } from '@stagepass/bff/authorize'
import { instrument } from '@stagepass/bff/otel'
import { metrics, trace } from '@opentelemetry/api'

export const beside = createBff(
  instrument(
    { ...options, authorize: fromUrl({ url: 'http://127.0.0.1:5000/grant', grantCacheSeconds: 0 }) },
    {
      tracer: trace.getTracer('voice'),
      meter: metrics.getMeter('voice'),
      publicEndpoint: false, // only your own gateway can send a traceparent
      propagate: true, // the service's support can find your request
    },
  ),
)

export const byToken = createBff({
  ...options,
  authorize: fromJwt({
    jwksUrl: 'https://login.example.com/.well-known/jwks.json',
    issuer: 'https://login.example.com/',
    audience: 'voice',
    algorithms: ['ES256'],
    userClaim: 'sub',
    grantClaim: 'https://example.com/voice', // some issuers want a URL for a claim of your own
    meetingsCredential: process.env['VOICE_MEETINGS_TOKEN'],
  }),
})
