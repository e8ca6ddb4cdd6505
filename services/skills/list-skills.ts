import { isGranted } from '#core/environment/environment.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { type Skill, type SkillStart, skillActorId } from '#core/skill/skill.ts'
import type { SkillStarter } from '#core/skill/starter-schema.ts'
import type { LastFiring } from '#store/skill-views.ts'
import type { ServiceContext } from '../context.ts'
import type { ReadPorts } from '../read-ports.ts'

type Starting = Skill & { start: SkillStart }

/** The skills that start runs in this workspace, by id. Those for environments of others are left out; the clock starts in the default one. */
export async function listSkills(
  ctx: Pick<ServiceContext, 'environments' | 'workspace_id' | 'workspace_slug'> &
    Pick<ReadPorts, 'skills' | 'skill_views'>,
): Promise<SkillStarter[]> {
  const places = ctx.environments.list()
  const isTimed = ctx.workspace_id === DEFAULT_WORKSPACE_ID
  const isOurs = (skill: Skill): skill is Starting => {
    if (skill.start === undefined) return false
    const { environment, on } = skill.start
    const place = places.find(({ name }) => name === environment)
    return (place === undefined || isGranted(place, ctx.workspace_slug)) && (isTimed || on.length > 0)
  }
  const skills = ctx.skills.list().filter(isOurs)
  const firings = await ctx.skill_views.lastFirings(
    ctx.workspace_id,
    skills.map(({ id }) => id),
  )
  const last = new Map(firings.map((firing) => [firing.skill, firing]))
  return skills.map((skill) => toStarter(skill, last.get(skill.id), isTimed)).sort((a, b) => (a.id < b.id ? -1 : 1))
}

function toStarter(
  { id, description, layer, file, start }: Starting,
  last: LastFiring | undefined,
  isTimed: boolean,
): SkillStarter {
  const { pack, template, environment, profile, dry_run, cron, on } = start
  return {
    id,
    description,
    layer,
    file,
    run: `${pack}/${template}`,
    dry_run,
    on,
    ...(environment !== undefined && { environment }),
    ...(profile !== undefined && { profile }),
    ...(isTimed && cron !== undefined && { schedule: id.replace('/', '.') }),
    ...(on.length > 0 && { account: skillActorId(id) }),
    ...(last !== undefined && { last: toLast(last) }),
  }
}

function toLast({ at, topic, outcome, reason, run_id }: LastFiring): NonNullable<SkillStarter['last']> {
  return {
    at,
    topic,
    outcome: outcome ?? 'working',
    ...(reason !== null && { reason }),
    ...(outcome === 'started' && { run_id }),
  }
}
