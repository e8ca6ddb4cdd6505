import { z } from '@hono/zod-openapi'
import { ChannelRecord } from '#core/notify/channel-schema.ts'
import { listChannels } from '#services/channels/list-channels.ts'
import { defineRoute, ok } from '../../define-route.ts'

export const listChannelsRoute = defineRoute(
  {
    operationId: 'listChannels',
    method: 'get',
    path: '/console/api/channels',
    tags: ['deliveries'],
    access: 'read',
    auth: 'admin',
    scope: 'account',
    summary: 'List the channels in which people are told',
    description: 'Those of `channels.yaml`, without their secrets, for owners and admins of all workspaces.',
    responses: { 200: ok(z.array(ChannelRecord), 'The channels in force') },
  },
  (c) => c.json(listChannels({ ...c.get('ctx'), ...c.get('deps').deployment }), 200),
)
