import { z } from 'zod'
import { BasicUser, defineKind } from './define-kind-schema.ts'
import { OAUTH_SHAPE, oauthProblem, receiversOf } from './oauth-schema.ts'
import { baseUrl, OVER_HTTP } from './over-http-schema.ts'

/** Of a service over HTTP, with the provider where it is signed in to by OAuth 2. */
const HttpConfig = z.strictObject({
  base_url: baseUrl({
    title: 'Base URL',
    description: 'Urls of steps are relative to it',
    example: 'https://api.example.com/v1/',
  }),
  user: BasicUser,
  test_path: z
    .string()
    .min(1)
    .max(500)
    .regex(/^[^\s?#][^\s#]*$/, 'a path without spaces and fragment')
    .exactOptional()
    .meta({
      title: 'Path for tests',
      description: 'A test asks for it; it answers 2xx when the credentials are right. Default: the base URL',
      example: 'me',
    }),
  ...OAUTH_SHAPE,
})
type HttpConfig = z.output<typeof HttpConfig>

export const httpKind = defineKind<HttpConfig>({
  ...OVER_HTTP,
  title: 'HTTP service',
  auth: ['bearer', 'basic', 'oauth2', 'none'],
  secret: 'Token, password, or secret of the OAuth client',
  config: HttpConfig,
  problem: (config, auth) => OVER_HTTP.problem(config, auth) ?? oauthProblem(config, auth),
  address: ({ base_url, ...config }) => receiversOf(base_url, config),
})
