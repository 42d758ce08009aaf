import { index, route, type RouteConfig } from '@react-router/dev/routes'

export default [
  index('home.tsx'),
  route('login', 'loginRoute.ts'),
  route('logout', 'logoutRoute.ts'),
  route('api/voice/*', 'voiceRoute.ts'),
] satisfies RouteConfig
