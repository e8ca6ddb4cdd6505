import { z } from 'zod'
import { defineKind } from './define-kind-schema.ts'
import { baseUrl, OVER_HTTP } from './over-http-schema.ts'

const SlackConfig = z.strictObject({
  base_url: baseUrl({
    title: 'API URL',
    description: 'Of the Web API; another one for a gateway',
    example: 'https://slack.com/api/',
  }).default('https://slack.com/api/'),
})

export const slackKind = defineKind({
  ...OVER_HTTP,
  title: 'Slack',
  config: SlackConfig,
  auth: ['bearer'],
  secret: 'Bot token',
})
