import { z } from '@hono/zod-openapi'
import { SkillStarter } from '#core/skill/starter-schema.ts'
import { listSkills } from '#services/skills/list-skills.ts'
import { defineRoute, ok } from '../../define-route.ts'

export const listSkillsRoute = defineRoute(
  {
    operationId: 'listSkills',
    method: 'get',
    path: '/triggers/skills',
    tags: ['triggers'],
    access: 'read',
    auth: 'user',
    summary: 'List the skills that start runs: what, when, in whose name, and what came of it last',
    description:
      'Sound ones that are not switched off. Those for an environment that the workspace may not use are left out; by the clock skills start runs in the default workspace alone.',
    responses: { 200: ok(z.array(SkillStarter), 'Skills, by id') },
  },
  async (c) => c.json(await listSkills(c.get('ctx')), 200),
)
