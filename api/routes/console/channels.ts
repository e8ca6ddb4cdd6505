import { z } from '@hono/zod-openapi'
import { ChannelRecord, ChannelTest } from '#core/notify/channel-schema.ts'
import { listChannels, testChannel } from '#services/channels/test-channel.ts'
import { defineRoute, ok } from '../../define-route.ts'

export const testChannelRoute = defineRoute(
  {
    operationId: 'testChannel',
    method: 'post',
    path: '/console/api/channels/{name}/test',
    tags: ['deliveries'],
    verb: testChannel,
    summary: 'Send a test message through a channel',
    description:
      'Every recipient of the channel gets one test message; it contains no link that decides anything. The answer has the result of each. For owners and admins of all workspaces; it is recorded.',
    request: { params: z.object({ name: z.string().min(1).max(200).meta({ example: 'ops-hook' }) }) },
    responses: { 200: ok(ChannelTest, 'What each recipient answered') },
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').deployment }
    return c.json(await testChannel(ctx, c.req.valid('param').name), 200)
  },
)

export const listChannelsRoute = defineRoute(
  {
    operationId: 'listChannels',
    method: 'get',
    path: '/console/api/channels',
    tags: ['deliveries'],
    access: 'read',
    auth: 'admin',
    scope: 'account',
    summary: 'List the notification channels',
    description: 'Those of `channels.yaml`, without their secrets, for owners and admins of all workspaces.',
    responses: { 200: ok(z.array(ChannelRecord), 'The channels in force') },
  },
  (c) => c.json(listChannels({ ...c.get('ctx'), ...c.get('deps').deployment }), 200),
)
