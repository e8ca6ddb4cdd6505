import { z } from 'zod'
import { defineKind } from './define-kind-schema.ts'
import { OAUTH_SHAPE, oauthProblem, receiversOf } from './oauth-schema.ts'
import { baseUrl, OVER_HTTP } from './over-http-schema.ts'

const McpConfig = z.strictObject({
  url: baseUrl({
    title: 'URL',
    description: 'The endpoint of the server (Streamable HTTP)',
    example: 'https://tools.example.com/mcp',
  }),
  ...OAUTH_SHAPE,
})

/** A server of tools (Model Context Protocol) over Streamable HTTP. */
export const mcpKind = defineKind<z.output<typeof McpConfig>>({
  title: 'Tools (MCP server)',
  auth: ['bearer', 'oauth2', 'none'],
  secret: 'Token, or secret of the OAuth client',
  config: McpConfig,
  problem: oauthProblem,
  address: ({ url, ...config }) => receiversOf(url, config),
  leadsTo: ({ url }) => url,
  url: ({ url }, auth, secret) => OVER_HTTP.url({ base_url: url }, auth, secret),
})
